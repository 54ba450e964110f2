// Represents addresses as sums (base + constant bytes + scale * value + ...). The distance between
// two addresses is then easy to compute.
#pragma once

#include <map>
#include <utility>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// How a narrower value is extended to 64 bits.
enum class Extension : u8 { none, sign, zero };

struct Linear {
    /// The base of the address, which is neither a getelementptr nor a cast. nullptr if the sum is
    /// a number instead of an address.
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
