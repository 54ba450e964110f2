#include "lab/campaign/streams/expected.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "harness/text.h"
#include "lab/campaign/random.h"

namespace coalesce::timing {
namespace {

using Word = std::uint32_t;

Word mix_integer(Word word, int steps) {
    for (int step = 0; step < steps; ++step) {
        word ^= word >> 15;
        word *= 0x2c1b3c6du;
    }
    return word;
}

Word mix_float(Word word, int steps) {
    auto number = std::bit_cast<float>(word);
    for (int step = 0; step < steps; ++step) number = std::fma(number, -0.96875f, 3.0f);
    return std::bit_cast<Word>(number);
}

/// Applies the kernel's arithmetic to each word of an element, or to the element itself if it is
/// smaller than a word.
void apply_arithmetic(const Computation& work, unsigned char* element) {
    if (work.arithmetic == Arithmetic::none) return;
    const std::size_t step = work.element < 4 ? static_cast<std::size_t>(work.element) : 4;
    for (std::size_t i = 0; i < static_cast<std::size_t>(work.element); i += step) {
        Word word = 0;
        std::memcpy(&word, element + i, step);
        word = work.arithmetic == Arithmetic::fma ? mix_float(word, work.steps)
                                                  : mix_integer(word, work.steps);
        std::memcpy(element + i, &word, step);
    }
}

/// Computes the value that a fill kernel stores to a cell.
void make(const Computation& work, int row, int col, unsigned char* element) {
    const Word cell = static_cast<Word>(row) * 0x9e3779b1u + static_cast<Word>(col) * 0x85ebca6bu;
    for (int i = 0; i < work.element; i += 4) {
        const Word word = cell + static_cast<Word>(i / 4);
        std::memcpy(element + i, &word, static_cast<std::size_t>(std::min(work.element, 4)));
    }
}

/// Returns the byte offset of an element.
std::size_t at(const Computation& work, int row, int pitch, int col) {
    return (static_cast<std::size_t>(row) * static_cast<std::size_t>(pitch) +
            static_cast<std::size_t>(col)) *
           static_cast<std::size_t>(work.element);
}

/// Computes the output element that corresponds to the input element in column `col` of its row.
void move_element(const Computation& work, const MatrixLaunch& run, int row, int col,
                  const Bytes& in, Bytes& out) {
    if (work.kind == MatrixOperation::fill) {
        if (col % work.gap == 0) make(work, row, col, &out[at(work, row, run.out_pitch, col)]);
        return;
    }
    const bool is_turned = work.kind == MatrixOperation::transpose;
    // If a tile extends beyond the matrix, the two strides are equal. Equal strides do not move an
    // element.
    const bool is_moved = work.read_stride != work.write_stride;
    const int from = is_moved ? strided_column(col, work.chunk, work.read_stride) : col;
    const int to = is_moved ? strided_column(col, work.chunk, work.write_stride) : col;
    unsigned char* element =
        &out[is_turned ? at(work, col, run.out_pitch, row) : at(work, row, run.out_pitch, to)];
    std::memcpy(element, &in[at(work, row, run.in_pitch, from)],
                static_cast<std::size_t>(work.element));
    apply_arithmetic(work, element);
}

/// Returns the sum of an element's words.
Word sum_words(const Computation& work, const unsigned char* element) {
    Word sum = 0;
    const auto size = static_cast<std::size_t>(work.element);
    for (std::size_t i = 0; i < size; i += 4) {
        Word word = 0;
        std::memcpy(&word, element + i, std::min<std::size_t>(size, 4));
        sum += word;
    }
    return sum;
}

std::string describe_wrong_sum(Word expected, const Bytes& out) {
    Word sum = 0;
    for (std::size_t i = 0; i + 4 <= out.size(); i += 4) {
        Word word = 0;
        std::memcpy(&word, &out[i], 4);
        sum += word;
    }
    return sum == expected
               ? ""
               : format("the sums of the blocks add up to %u instead of %u", sum, expected);
}

}  // namespace

Bytes make_input(const Computation& work, std::size_t bytes) {
    Bytes in(bytes);
    for (std::size_t i = 0; i < bytes; i += 4) {
        auto word = static_cast<Word>(campaign::hash_bits(i) >> 32);
        if (work.arithmetic == Arithmetic::fma) word = (word & 0x007fffff) | 0x3f800000;
        std::memcpy(&in[i], &word, std::min<std::size_t>(4, bytes - i));
    }
    return in;
}

Bytes expected_output(const Computation& work, const MatrixLaunch& run, const Bytes& in) {
    Bytes out(run.out_bytes, kUntouched);
    for (int row = 0; row < run.rows; ++row) {
        for (int col = 0; col < run.cols; ++col) move_element(work, run, row, col, in, out);
    }
    return out;
}

std::uint32_t expected_sum(const Computation& work, const MatrixLaunch& run, const Bytes& in) {
    Word sum = 0;
    for (int row = 0; row < run.rows; ++row) {
        for (int col = 0; col < run.cols; ++col) {
            std::array<unsigned char, 16> element{};
            std::memcpy(element.data(), &in[at(work, row, run.in_pitch, col)],
                        static_cast<std::size_t>(work.element));
            apply_arithmetic(work, element.data());
            sum += sum_words(work, element.data());
        }
    }
    return sum;
}

std::string describe_wrong_element(const Computation& work, const MatrixLaunch& run,
                                   const Bytes& in, const Bytes& out) {
    if (work.kind == MatrixOperation::sum)
        return describe_wrong_sum(expected_sum(work, run, in), out);
    const Bytes right = expected_output(work, run, in);
    for (std::size_t i = 0; i < right.size(); ++i) {
        if (out[i] == right[i]) continue;
        const std::size_t cell = i / static_cast<std::size_t>(work.element);
        const auto pitch = static_cast<std::size_t>(run.out_pitch);
        return format("byte %zu, in row %zu and column %zu of the result, is %d instead of %d", i,
                      cell / pitch, cell % pitch, out[i], right[i]);
    }
    return "";
}

}  // namespace coalesce::timing
