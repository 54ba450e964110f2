// Defines the widths of a register's lanes.
#pragma once

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The width of a lane in bits. w128 is used only by atomics and consists of 32 64-bit lanes that
/// contain the low halves, followed by 32 64-bit lanes that contain the high halves.
enum class Width : u8 { none, predicate, w32, w64, w128 };

inline Width width_of_type(ptx::Type type) {
    if (type == ptx::Type::pred) return Width::predicate;
    if (ptx::size_of(type) == 16) return Width::w128;
    return ptx::size_of(type) == 8 ? Width::w64 : Width::w32;
}

/// Returns the size in bytes of a slot with 32 lanes.
inline u32 bytes_of(Width width) {
    switch (width) {
        case Width::w128: return 16 * kLanes;
        case Width::w64: return 8 * kLanes;
        case Width::w32: return 4 * kLanes;
        // Predicates use 64 bytes too, so that every slot is aligned for host vectors.
        default: return 64;
    }
}

}  // namespace coalesce::simulator
