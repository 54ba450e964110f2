// What types take in memory, by the data layout of nvptx64, and how a pointer's steps add up.
#pragma once

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// Bytes that a value takes when it is stored.
u64 store_size(const Type& type);
/// Bytes from one element of an array to the next.
u64 size_of(const Type& type);
u32 align_of(const Type& type);
/// Of a structure's member.
u64 offset_of_member(const Type& structure, u64 member);

/// Where the scalars lie that a value is made of, in order: {float, [2 x i8]} has three. An integer of
/// more than 64 bits is two of 64, of which the upper one may take fewer bytes.
struct Part {
    const Type* type;
    u64 offset, bytes;
};
std::vector<Part> parts_of(const Type& type);
/// The position among parts_of(type) of what `indices` select (extractvalue), and how many it has.
struct PartRange {
    std::size_t first, count;
};
PartRange parts_at(const Type& type, const std::vector<u64>& indices);

/// A getelementptr is base + offset + the sum of index * scale.
struct Steps {
    struct Term {
        Value* index;
        u64 scale;
    };
    Value* base = nullptr;
    i64 offset = 0;
    std::vector<Term> terms;
};
Steps steps_of(const Operation& getelementptr);

}  // namespace coalesce::translator
