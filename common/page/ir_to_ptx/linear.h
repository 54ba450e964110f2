// Addresses as sums: base + constant bytes + scale * value + ..., so that the distance of two can be told.
#pragma once

#include <map>
#include <utility>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// How a value of fewer than 64 bits becomes one.
enum class Extension : u8 { none, sign, zero };

struct Linear {
    const Value* base = nullptr;  ///< no getelementptr, no cast; nullptr: a number, not an address
    i64 offset = 0;
    std::map<std::pair<const Value*, Extension>, i64> terms;

    bool differs_by_constant(const Linear& other) const {
        return base == other.base && terms == other.terms;
    }
};

/// Of a pointer.
Linear linear_address(const Value* pointer);

}  // namespace coalesce::translator
