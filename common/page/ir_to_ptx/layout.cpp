// Computes the data layout of nvptx64. Every type has its natural alignment, but single values are
// aligned to at most 16 bytes.
#include "page/ir_to_ptx/layout.h"

#include <algorithm>

namespace coalesce::translator {

namespace {

u64 round_up(u64 value, u64 to) {
    return (value + to - 1) / to * to;
}

u64 next_power_of_two(u64 value) {
    u64 power_of_two = 1;
    while (power_of_two < value) power_of_two *= 2;
    return power_of_two;
}

u64 bits_of(const Type& type) {
    switch (type.kind) {
        case Type::Kind::integer: return type.bits;
        case Type::Kind::half:
        case Type::Kind::bfloat: return 16;
        case Type::Kind::single: return 32;
        default: return 64;
    }
}

const Type& half_of_wide_integer() {
    static Types types;
    static const Type& type = *types.integer(64);
    return type;
}

void append_parts(const Type& type, u64 offset, std::vector<ScalarPart>& parts) {
    const u64 bytes = std::max<u64>(store_size(type), 1);
    if (type.has_kind(Type::Kind::integer) && type.bits > 64) {
        parts.push_back({&half_of_wide_integer(), offset, 8});
        parts.push_back({&half_of_wide_integer(), offset + 8, bytes - 8});
        return;
    }
    switch (type.kind) {
        case Type::Kind::structure:
            for (std::size_t i = 0; i < type.elements.size(); ++i) {
                append_parts(*type.elements[i], offset + offset_of_member(type, i), parts);
            }
            break;
        case Type::Kind::array:
            for (u64 i = 0; i < type.count; ++i) {
                append_parts(*type.element(), offset + i * size_of(*type.element()), parts);
            }
            break;
        case Type::Kind::vector: {
            // The elements of a vector are contiguous, without padding.
            const u64 step = (bits_of(*type.element()) + 7) / 8;
            for (u64 i = 0; i < type.count; ++i) {
                append_parts(*type.element(), offset + i * step, parts);
            }
            break;
        }
        case Type::Kind::nothing: break;
        default: parts.push_back({&type, offset, bytes});
    }
}

}  // namespace

u64 store_size(const Type& type) {
    switch (type.kind) {
        case Type::Kind::array: return type.count * size_of(*type.element());
        case Type::Kind::vector: return (type.count * bits_of(*type.element()) + 7) / 8;
        case Type::Kind::structure: {
            u64 end = 0;
            for (const Type* member : type.elements) {
                if (!type.is_packed) end = round_up(end, abi_alignment(*member));
                end += size_of(*member);
            }
            return round_up(end, abi_alignment(type));
        }
        case Type::Kind::nothing:
        case Type::Kind::function:
        case Type::Kind::label:
        case Type::Kind::metadata:
        case Type::Kind::opaque: return 0;
        default: return (bits_of(type) + 7) / 8;
    }
}

u64 size_of(const Type& type) {
    return round_up(store_size(type), abi_alignment(type));
}

u32 abi_alignment(const Type& type) {
    switch (type.kind) {
        case Type::Kind::array: return abi_alignment(*type.element());
        case Type::Kind::structure: {
            u32 align = 1;
            if (type.is_packed) return align;
            for (const Type* member : type.elements)
                align = std::max(align, abi_alignment(*member));
            return align;
        }
        case Type::Kind::vector: return static_cast<u32>(next_power_of_two(store_size(type)));
        case Type::Kind::integer:
            return static_cast<u32>(std::min<u64>(next_power_of_two(store_size(type)), 16));
        default: return static_cast<u32>(std::max<u64>(store_size(type), 1));
    }
}

u64 offset_of_member(const Type& structure, u64 member) {
    u64 offset = 0;
    for (u64 i = 0;; ++i) {
        const Type& type = *structure.elements.at(i);
        if (!structure.is_packed) offset = round_up(offset, abi_alignment(type));
        if (i == member) return offset;
        offset += size_of(type);
    }
}

std::vector<ScalarPart> list_scalar_parts(const Type& type) {
    std::vector<ScalarPart> parts;
    append_parts(type, 0, parts);
    return parts;
}

PartRange select_parts(const Type& type, const std::vector<u64>& indices) {
    PartRange range{0, 0};
    const Type* at = &type;
    for (const u64 index : indices) {
        if (at->has_kind(Type::Kind::structure)) {
            for (u64 i = 0; i < index; ++i)
                range.first += list_scalar_parts(*at->elements.at(i)).size();
            at = at->elements.at(index);
        } else {
            at = at->element();
            range.first += index * list_scalar_parts(*at).size();
        }
    }
    range.count = list_scalar_parts(*at).size();
    return range;
}

AddressTerms address_terms(const Operation& getelementptr) {
    AddressTerms steps;
    steps.base = getelementptr.operands.at(0);
    const Type* at = getelementptr.memory_type;
    for (std::size_t i = 1; i < getelementptr.operands.size(); ++i) {
        Value* index = getelementptr.operands[i];
        i64 number = 0;
        const bool is_known = is_number(index, number);
        if (i > 1 && at->has_kind(Type::Kind::structure)) {
            steps.offset += static_cast<i64>(offset_of_member(*at, static_cast<u64>(number)));
            at = at->elements.at(static_cast<u64>(number));
            continue;
        }
        if (i > 1) at = at->element();
        const u64 scale = size_of(*at);
        if (is_known) {
            steps.offset += static_cast<i64>(static_cast<u64>(number) * scale);
        } else {
            steps.terms.push_back({index, scale});
        }
    }
    return steps;
}

}  // namespace coalesce::translator
