// Defines the widths of a register's lanes.
#pragma once

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The width of a lane in bits. Only atomics use w128. A w128 slot contains the low halves of the
/// 32 values as 64-bit lanes, followed by the high halves.
enum class Width : u8 { none, predicate, w32, w64, w128 };

inline Width lane_width(ptx::Type type) {
    if (type == ptx::Type::pred) return Width::predicate;
    if (ptx::size_of(type) == 16) return Width::w128;
    return ptx::size_of(type) == 8 ? Width::w64 : Width::w32;
}

/// Returns the size in bytes of a slot with 32 lanes.
inline u32 slot_bytes(Width width) {
    switch (width) {
        case Width::w128: return 16 * kLanes;
        case Width::w64: return 8 * kLanes;
        case Width::w32: return 4 * kLanes;
        // A predicate needs fewer bytes, but takes 64, so that every slot is aligned for the host's
        // vector instructions.
        default: return 64;
    }
}

}  // namespace coalesce::simulator
