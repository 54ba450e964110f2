// What fetches from textures and accesses to surfaces have in common: which object, which bytes, and what the checks
// and counters are told of them.
//
// Builds on  textures/texture.h; memory_access.h, which finds the bytes.
// Counters   as on an H100: a warp instruction is a request for each four lanes, or each eight where it accesses a
//            surface that is not 3D or fetches less than 16 bytes by tex1Dfetch or from a level that is given; sectors
//            are the different ones of a request.
#pragma once

#include <algorithm>

#include "simulator/addons/textures/sampling.h"
#include "simulator/execute/families.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator {

/// A texture or surface instruction. OperandList::read: the object, the layer of a layered one, coordinates, and
/// whatever follows.
struct ImageOp : OperandList {
    ImageShape shape;
    bool is_surface = false;

    u32 first_coordinate() const { return shape.layered ? 2 : 1; }
    /// Coordinates of a texture: directions into a cubemap have one more.
    u32 coordinates() const { return shape.cube ? 3 : shape.dimensions; }
};

/// The shape that `1d`, `a2d`, `cube`, ... name; nothing when no modifier does.
std::optional<ImageShape> shape_of(const ptx::Instruction& instruction);

/// x, or {x, y, ...}.
inline std::size_t numbers_in(const ptx::Operand& operand) {
    return std::max<std::size_t>(operand.elements.size(), 1);
}
/// Of [object, {coordinates}]; 0 when the operand is something else.
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

/// The objects that the lanes of an instruction name, mostly all the same.
struct ImageLookup {
    Warp& w;
    const Op* op;
    const ImageOp& image;
    /// Of the lane before.
    u64 number = 0;
    std::shared_ptr<const ImageObject> object = nullptr;

    /// nullptr: there is none, or it has another shape, which has ended the launch.
    const ImageObject* of_lane(int lane);
    Failed refuse(int lane, u64 asked, const std::string& message, const std::string& cure);
    bool fits(const ImageObject& found) const;
};

/// The bytes that the lanes of one instruction touch: `rows` times at most one access a lane.
class TexelAccess {
public:
    TexelAccess(Warp& w, const Op* op, Access kind) : w_(w), op_(op), kind_(kind) {}
    /// The bytes in this process; nullptr: out of bounds, which has ended the launch. `sector`: as
    /// ImageObject::sector_of numbers it.
    u8* touch(u32 row, int lane, u64 address, u32 bytes, u64 sector);
    /// Reports a texel that nothing wrote; `tap` says which.
    void check_written(const Tap& tap, int lane);
    /// Counts what was touched, by so many lanes in a request, and tells the race checker and listeners.
    void finish(int lanes_of_request);
    /// What was touched, of accesses of one row.
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
