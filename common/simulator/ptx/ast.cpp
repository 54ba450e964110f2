// Defines the properties of PTX's types, and simple queries on the syntax tree.
#include "simulator/ptx/ast.h"

#include <algorithm>

namespace coalesce::simulator::ptx {

namespace {

struct TypeFacts {
    std::string_view name;
    Type type;
    u32 size;
    bool is_signed;
    bool is_float;
};

/// The properties of all types, in the order of the enumeration, so that a type can be used as an
/// index.
constexpr TypeFacts kTypeFacts[] = {
    {"", Type::none, 0, false, false},       {"pred", Type::pred, 1, false, false},
    {"b8", Type::b8, 1, false, false},       {"b16", Type::b16, 2, false, false},
    {"b32", Type::b32, 4, false, false},     {"b64", Type::b64, 8, false, false},
    {"b128", Type::b128, 16, false, false},  {"u8", Type::u8, 1, false, false},
    {"u16", Type::u16, 2, false, false},     {"u32", Type::u32, 4, false, false},
    {"u64", Type::u64, 8, false, false},     {"s8", Type::s8, 1, true, false},
    {"s16", Type::s16, 2, true, false},      {"s32", Type::s32, 4, true, false},
    {"s64", Type::s64, 8, true, false},      {"f16", Type::f16, 2, true, true},
    {"f16x2", Type::f16x2, 4, true, true},   {"bf16", Type::bf16, 2, true, true},
    {"bf16x2", Type::bf16x2, 4, true, true}, {"tf32", Type::tf32, 4, true, true},
    {"f32", Type::f32, 4, true, true},       {"f32x2", Type::f32x2, 8, true, true},
    {"f64", Type::f64, 8, true, true},       {"e4m3x2", Type::e4m3x2, 2, true, true},
    {"e5m2x2", Type::e5m2x2, 2, true, true},
};

constexpr bool is_table_in_enum_order() {
    for (std::size_t i = 0; i < std::size(kTypeFacts); ++i) {
        if (static_cast<std::size_t>(kTypeFacts[i].type) != i) return false;
    }
    return kTypeFacts[std::size(kTypeFacts) - 1].type == Type::e5m2x2;
}
static_assert(is_table_in_enum_order());

const TypeFacts& find_type_facts(Type type) {
    return kTypeFacts[static_cast<std::size_t>(type)];
}

}  // namespace

u32 size_of(Type type) {
    return find_type_facts(type).size;
}
bool is_signed(Type type) {
    return find_type_facts(type).is_signed;
}
bool is_float(Type type) {
    return find_type_facts(type).is_float;
}
std::string_view name_of(Type type) {
    return find_type_facts(type).name;
}

Type parse_type(std::string_view name) {
    for (const TypeFacts& type_entry : kTypeFacts) {
        if (type_entry.name == name) return type_entry.type;
    }
    return Type::none;
}

bool Instruction::has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

}  // namespace coalesce::simulator::ptx
