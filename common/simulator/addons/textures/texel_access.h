// Declares the steps that texture fetches and surface accesses share: they look up the object,
// resolve the addresses, and update the checks and counters.
//
// Builds on  texture.h; memory_access.h, which resolves addresses.
// Counters   As on an H100, a warp instruction makes one request per four lanes. The instruction
//            makes one request per eight lanes if it accesses a surface that is not 3D, or if it
//            fetches less than 16 bytes with tex1Dfetch or from an explicit level. For each
//            request, the distinct sectors are counted.
#pragma once

#include <algorithm>

#include "simulator/addons/textures/sampling.h"
#include "simulator/execute/families.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator {

/// A texture or surface instruction. OperandList::read_slots lists the object, the layer (only for
/// a layered object), the coordinates, and further operands.
struct ImageOp : OperandList {
    ImageShape shape;
    bool is_surface = false;

    u32 first_coordinate_index() const { return shape.is_layered ? 2 : 1; }
    /// Returns the number of texture coordinates. A cubemap has three: the components of a
    /// direction vector.
    u32 coordinate_count() const { return shape.is_cube ? 3 : shape.dimensions; }
};

/// Returns the shape that a modifier of the instruction specifies, such as `1d`, `a2d` or `cube`.
/// Returns nothing if the instruction has no such modifier.
std::optional<ImageShape> parse_image_shape(const ptx::Instruction& instruction);

/// Returns the number of values in an operand: 1 for a register, or the number of elements of a
/// vector {x, y, ...}.
inline std::size_t count_values(const ptx::Operand& operand) {
    return std::max<std::size_t>(operand.elements.size(), 1);
}
/// Returns the number of coordinates in an operand [object, {coordinates}], or 0 for any other
/// operand.
inline std::size_t count_coordinates(const ptx::Operand& operand) {
    const bool is_object_address =
        operand.kind == ptx::Operand::Kind::address && operand.elements.size() == 1;
    return is_object_address ? count_values(operand.elements[0]) : 0;
}

/// A position and a size as text for messages, such as "3, 4" and "16 x 8".
struct PositionAndSizeText {
    std::string position, size;
    PositionAndSizeText(i64 coordinate, i64 extent)
        : position(std::to_string(coordinate)), size(std::to_string(extent)) {}
    void add(i64 coordinate, i64 extent) {
        position += ", " + std::to_string(coordinate);
        size += " x " + std::to_string(extent);
    }
};

/// A lookup of the texture or surface object that each lane uses. It remembers the last object,
/// because all lanes usually use the same object.
struct ImageLookup {
    Warp& w;
    const Op* op;
    const ImageOp& image;
    /// The number of the object that was looked up last (see add_image_object), and the object
    /// itself.
    u64 number = 0;
    std::shared_ptr<const ImageObject> object = nullptr;

    /// Returns the lane's object. If the object does not exist or has a different shape, ends the
    /// launch and returns null.
    const ImageObject* find_for_lane(int lane);
    Failed fail_lookup(int lane, u64 requested_number, const std::string& message,
                       const std::string& cure);
    bool has_expected_shape(const ImageObject& candidate) const;
};

/// The memory accesses of the lanes that execute an instruction, as a sequence of rows. A row
/// contains at most one access of each lane.
class TexelAccess {
public:
    TexelAccess(Warp& w, const Op* op, Access kind) : w_(w), op_(op), kind_(kind) {}
    /// Adds the lane's access to the texel at `address` to row `row`, and returns the host address
    /// of the texel. `sector` is the result of ImageObject::find_sector. If the texel is out of
    /// bounds, ends the launch and returns null.
    u8* resolve_texel(u32 row, int lane, u64 address, u32 bytes, u64 sector);
    /// Reports an error if the texel that `tap` reads is uninitialized.
    void check_written(const Tap& tap, int lane);
    /// Counts the accesses, grouped into requests of `lanes_per_request` lanes each, and notifies
    /// the race checker and listeners.
    void count_and_notify(int lanes_per_request);
    /// Returns the resolved addresses. Must be called only if the instruction has a single row.
    const ResolvedAddresses& only_row() const { return rows_[0]; }

private:
    void count_requests(int lanes_per_request) const;

    Warp& w_;
    const Op* op_;
    const Access kind_;
    u32 bytes_ = 0;  ///< the size in bytes of the widest access by a lane
    ResolvedAddresses rows_[kMaxTaps];
    u64 sectors_[kMaxTaps][kLanes];
};

}  // namespace coalesce::simulator
