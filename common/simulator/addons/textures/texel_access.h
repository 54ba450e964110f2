// Shared by texture fetches and surface accesses: finding the object and the bytes, and informing
// the checks and counters.
//
// Builds on  textures/texture.h; memory_access.h, which finds the bytes.
// Counters   as on an H100. A warp instruction makes one request for every four lanes, or for every
//            eight lanes if it accesses a surface that is not 3D, or fetches less than 16 bytes
//            with tex1Dfetch or from an explicit level. The sectors are the distinct ones of each
//            request.
#pragma once

#include <algorithm>

#include "simulator/addons/textures/sampling.h"
#include "simulator/execute/families.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator {

/// A texture or surface instruction. OperandList::read has the object, the layer of a layered one,
/// the coordinates, and further operands.
struct ImageOp : OperandList {
    ImageShape shape;
    bool is_surface = false;

    u32 first_coordinate() const { return shape.layered ? 2 : 1; }
    /// Returns the number of a texture's coordinates. A direction into a cubemap has one more.
    u32 coordinates() const { return shape.cube ? 3 : shape.dimensions; }
};

/// Returns the shape for `1d`, `a2d`, `cube` and so on, or nothing if there is no such modifier.
std::optional<ImageShape> shape_of(const ptx::Instruction& instruction);

/// Returns the number of values in x or {x, y, ...}.
inline std::size_t numbers_in(const ptx::Operand& operand) {
    return std::max<std::size_t>(operand.elements.size(), 1);
}
/// Returns the number of coordinates in [object, {coordinates}], or 0 for other operands.
inline std::size_t coordinates_in(const ptx::Operand& place) {
    const bool is_place = place.kind == ptx::Operand::Kind::address && place.elements.size() == 1;
    return is_place ? numbers_in(place.elements[0]) : 0;
}

/// "3, 4" and "16 x 8", for messages.
struct PlaceAndSize {
    std::string place, size;
    PlaceAndSize(i64 at, i64 count) : place(std::to_string(at)), size(std::to_string(count)) {}
    void add(i64 at, i64 count) {
        place += ", " + std::to_string(at);
        size += " x " + std::to_string(count);
    }
};

/// Looks up the objects of an instruction's lanes, which are mostly the same.
struct ImageLookup {
    Warp& w;
    const Op* op;
    const ImageOp& image;
    /// Those of the previous lane.
    u64 number = 0;
    std::shared_ptr<const ImageObject> object = nullptr;

    /// Returns nullptr if there is no such object, or it has another shape, which has ended the
    /// launch.
    const ImageObject* of_lane(int lane);
    Failed refuse(int lane, u64 asked, const std::string& message, const std::string& cure);
    bool fits(const ImageObject& found) const;
};

/// The bytes that the lanes of one instruction access: `rows` times at most one access per lane.
class TexelAccess {
public:
    TexelAccess(Warp& w, const Op* op, Access kind) : w_(w), op_(op), kind_(kind) {}
    /// Returns the bytes in this process, or nullptr if they are out of bounds, which has ended the
    /// launch. `sector` is numbered as in ImageObject::sector_of.
    u8* touch(u32 row, int lane, u64 address, u32 bytes, u64 sector);
    /// Reports an uninitialized texel, which `tap` identifies.
    void check_written(const Tap& tap, int lane);
    /// Counts the accesses, with this many lanes per request, and tells the race checker and
    /// listeners.
    void finish(int lanes_of_request);
    /// The accessed bytes, if there is only one row.
    const Resolved& only_row() const { return rows_[0]; }

private:
    void count(int lanes_of_request) const;

    Warp& w_;
    const Op* op_;
    const Access kind_;
    u32 bytes_ = 0;  ///< of the widest access
    Resolved rows_[kMostTaps];
    u64 sectors_[kMostTaps][kLanes];
};

}  // namespace coalesce::simulator
