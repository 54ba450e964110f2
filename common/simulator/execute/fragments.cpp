#include "simulator/execute/fragments.h"

#include <algorithm>
#include <cstdio>

namespace coalesce::simulator {

namespace {

struct NamedNumber {
    std::string_view name;
    Number number;
    u32 bits;
};
constexpr NamedNumber kNumberTypes[] = {
    {"f16", Number::f16, 16}, {"bf16", Number::bf16, 16}, {"tf32", Number::tf32, 32},
    {"f32", Number::f32, 32}, {"f64", Number::f64, 64},   {"s8", Number::s8, 8},
    {"u8", Number::u8, 8},    {"s4", Number::s4, 4},      {"u4", Number::u4, 4},
    {"b1", Number::b1, 32},   {"s32", Number::s32, 32}};

constexpr u32 kBlockLines = 8, kBlockWords = 4;

}  // namespace

Number parse_number_type(std::string_view name) {
    for (const NamedNumber& known : kNumberTypes)
        if (known.name == name) return known.number;
    return Number::none;
}

u32 bits_of(Number number) {
    for (const NamedNumber& known : kNumberTypes)
        if (known.number == number) return known.bits;
    return 0;
}

MatrixShape parse_matrix_shape(const std::string& name) {
    MatrixShape shape;
    int end = 0;
    const int read = std::sscanf(name.c_str(), "m%un%uk%u%n", &shape.m, &shape.n, &shape.k, &end);
    return read == 3 && static_cast<std::size_t>(end) == name.size() ? shape : MatrixShape{};
}

MatrixFragment::MatrixFragment(Part part_of, Number of, MatrixShape shape)
    : part(part_of), number(of) {
    const u32 steps = number == Number::b1 ? shape.k / 32 : shape.k;
    is_transposed = part == Part::accumulator && shape.m == 8 && shape.n == 32;
    switch (part) {
        case Part::a: lines = shape.m, across = steps; break;
        case Part::b: lines = shape.n, across = steps; break;
        case Part::accumulator:
            lines = is_transposed ? shape.n : shape.m;
            across = is_transposed ? shape.m : shape.n;
            break;
    }
}

MatrixFragment::Place MatrixFragment::place(u32 lane, u32 index) const {
    const u32 each = elements_of_register(), line_blocks = lines / kBlockLines;
    const u32 line = lane / kBlockWords, word = lane % kBlockWords;
    if (part == Part::accumulator) {
        const u32 pair = index * each / 2, second = index * each % 2;
        return {kBlockLines * (pair % line_blocks) + line,
                8 * (pair / line_blocks) + 2 * word + second};
    }
    const u32 block = index % registers(), blocks_across = across / (kBlockWords * each);
    const u32 line_block = part == Part::a ? block % line_blocks : block / blocks_across;
    const u32 block_across = part == Part::a ? block / line_blocks : block % blocks_across;
    return {kBlockLines * line_block + line, (kBlockWords * block_across + word) * each};
}

}  // namespace coalesce::simulator
