#include "simulator/execute/fragments.h"

#include <algorithm>
#include <cstdio>

namespace coalesce::simulator {

namespace {

struct NamedNumber {
    std::string_view name;
    NumberType number;
    u32 bits;
};
constexpr NamedNumber kNumberTypes[] = {
    {"f16", NumberType::f16, 16}, {"bf16", NumberType::bf16, 16}, {"tf32", NumberType::tf32, 32},
    {"f32", NumberType::f32, 32}, {"f64", NumberType::f64, 64},   {"s8", NumberType::s8, 8},
    {"u8", NumberType::u8, 8},    {"s4", NumberType::s4, 4},      {"u4", NumberType::u4, 4},
    {"b1", NumberType::b1, 32},   {"s32", NumberType::s32, 32}};

constexpr u32 kBlockLines = 8, kBlockWords = 4;

}  // namespace

NumberType parse_number_type(std::string_view name) {
    for (const NamedNumber& entry : kNumberTypes)
        if (entry.name == name) return entry.number;
    return NumberType::none;
}

u32 number_bits(NumberType number) {
    for (const NamedNumber& known : kNumberTypes)
        if (known.number == number) return known.bits;
    return 0;
}

MatrixShape parse_matrix_shape(const std::string& name) {
    MatrixShape shape;
    int parsed_length = 0;
    const int parsed_values =
        std::sscanf(name.c_str(), "m%un%uk%u%n", &shape.m, &shape.n, &shape.k, &parsed_length);
    return parsed_values == 3 && static_cast<std::size_t>(parsed_length) == name.size()
               ? shape
               : MatrixShape{};
}

MatrixFragment::MatrixFragment(Part fragment_part, NumberType number_type, MatrixShape shape)
    : part(fragment_part), number(number_type) {
    const u32 steps = number == NumberType::b1 ? shape.k / 32 : shape.k;
    is_transposed = part == Part::accumulator && shape.m == 8 && shape.n == 32;
    switch (part) {
        case Part::a: lines = shape.m, elements_per_line = steps; break;
        case Part::b: lines = shape.n, elements_per_line = steps; break;
        case Part::accumulator:
            lines = is_transposed ? shape.n : shape.m;
            elements_per_line = is_transposed ? shape.m : shape.n;
            break;
    }
}

MatrixFragment::Place MatrixFragment::place(u32 lane, u32 index) const {
    const u32 elements_per_register = elements_of_register(), line_blocks = lines / kBlockLines;
    const u32 line = lane / kBlockWords, word = lane % kBlockWords;
    if (part == Part::accumulator) {
        const u32 pair = index * elements_per_register / 2,
                  second = index * elements_per_register % 2;
        return {kBlockLines * (pair % line_blocks) + line,
                8 * (pair / line_blocks) + 2 * word + second};
    }
    const u32 block = index % registers(),
              blocks_across = elements_per_line / (kBlockWords * elements_per_register);
    const u32 line_block_index = part == Part::a ? block % line_blocks : block / blocks_across;
    const u32 block_in_line = part == Part::a ? block / line_blocks : block % blocks_across;
    return {kBlockLines * line_block_index + line,
            (kBlockWords * block_in_line + word) * elements_per_register};
}

}  // namespace coalesce::simulator
