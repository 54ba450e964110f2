// Represents addresses as sums (base + constant bytes + scale * value + ...), so that the distance
// between two addresses is easy to compute.
#pragma once

#include <map>
#include <utility>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// How a value with fewer than 64 bits is extended to 64 bits.
enum class Extension : u8 { none, sign, zero };

struct Linear {
    /// The pointer to which the other terms are added, or nullptr if the sum is a number instead of
    /// an address. The pointer is neither a getelementptr nor a cast.
    const Value* base = nullptr;
    i64 offset = 0;
    std::map<std::pair<const Value*, Extension>, i64> terms;

    bool differs_by_constant(const Linear& other) const {
        return base == other.base && terms == other.terms;
    }
};

/// Returns a pointer's address as a sum.
Linear linear_address(const Value* pointer);

}  // namespace coalesce::translator
