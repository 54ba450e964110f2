// Computes the sizes of types, the offsets of their parts in memory, and the addresses of
// getelementptr. All of them follow the data layout of nvptx64.
#pragma once

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// Returns the number of bytes that a stored value occupies.
u64 store_size(const Type& type);
/// Returns the number of bytes from one element to the next in an array of this type.
u64 size_of(const Type& type);
u32 abi_alignment(const Type& type);
u64 offset_of_member(const Type& structure, u64 member);

/// A scalar part of a value, with its offset and size in bytes. For example, a {float, [2 x i8]}
/// has three parts. An integer with more than 64 bits has two parts.
struct ScalarPart {
    const Type* type;
    u64 offset, bytes;
};
std::vector<ScalarPart> list_scalar_parts(const Type& type);
/// The parts that an extractvalue selects, as a range of indices into the list of all parts.
struct PartRange {
    std::size_t first, count;
};
PartRange select_parts(const Type& type, const std::vector<u64>& indices);

/// The address that a getelementptr computes: base + offset + the sum of index * scale.
struct AddressTerms {
    struct Term {
        Value* index;
        u64 scale;
    };
    Value* base = nullptr;
    i64 offset = 0;
    std::vector<Term> terms;
};
AddressTerms address_terms(const Operation& getelementptr);

}  // namespace coalesce::translator
