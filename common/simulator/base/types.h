// Basic types, constants and helpers used throughout the simulator.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace coalesce::simulator {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

/// The number of lanes in a warp: 32 on all hardware.
inline constexpr int kLanes = 32;
/// The number of banks of shared memory, and the width of a bank in bytes.
inline constexpr u32 kBanks = 32, kWordBytes = 4;
inline constexpr u32 kAllLanes = 0xffffffffu;

/// The value of an index that refers to nothing.
inline constexpr u32 kNone = ~0u;

/// A set of lanes, with one bit per lane.
using Mask = u32;

/// A range over the lanes of a set, starting with the lowest: for (const int l : LaneRange{mask}).
struct LaneRange {
    Mask remaining_lanes;
    LaneRange begin() const { return *this; }
    LaneRange end() const { return {0}; }
    int operator*() const { return std::countr_zero(remaining_lanes); }
    void operator++() { remaining_lanes &= remaining_lanes - 1; }
    bool operator!=(LaneRange other) const { return remaining_lanes != other.remaining_lanes; }
};
/// Returns the lanes in `lanes` for which `is_selected` returns true.
template <class Predicate>
Mask select_lanes(Mask lanes, Predicate is_selected) {
    Mask selected = 0;
    for (const int l : LaneRange{lanes})
        if (is_selected(l)) selected |= Mask{1} << l;
    return selected;
}
/// Returns a mask in which the lowest `count` bits are set. The bits stand for lanes of a warp, or
/// for warps of a block.
inline Mask mask_of_first_lanes(u32 count) {
    return count < kLanes ? (Mask{1} << count) - 1 : kAllLanes;
}

struct Dim3 {
    u32 x = 1, y = 1, z = 1;
    u64 count() const { return u64{x} * y * z; }
    /// Returns the position with linear index `linear_index`, with x varying fastest.
    Dim3 position_of(u64 linear_index) const {
        return {static_cast<u32>(linear_index % x), static_cast<u32>(linear_index / x % y),
                static_cast<u32>(linear_index / x / y)};
    }
    bool operator==(const Dim3&) const = default;
};

/// Rounds `value` up to a multiple of `multiple`, which need not be a power of two.
constexpr u64 round_up(u64 value, u64 multiple) {
    return multiple ? (value + multiple - 1) / multiple * multiple : value;
}

}  // namespace coalesce::simulator
