#include "lab/campaign/streams/expected.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "harness/text.h"
#include "lab/campaign/random.h"

namespace coalesce::timing {
namespace {

using Word = std::uint32_t;

Word apply_integer_steps(Word word, int steps) {
    for (int step = 0; step < steps; ++step) {
        word ^= word >> 15;
        word *= 0x2c1b3c6du;
    }
    return word;
}

Word apply_float_steps(Word word, int steps) {
    auto number = std::bit_cast<float>(word);
    for (int step = 0; step < steps; ++step) number = std::fma(number, -0.96875f, 3.0f);
    return std::bit_cast<Word>(number);
}

/// Applies the kernel's arithmetic to each word of an element, or to the element itself if it is
/// smaller than a word.
void apply_arithmetic(const Computation& work, unsigned char* element) {
    if (work.arithmetic == Arithmetic::none) return;
    const std::size_t step =
        work.element_bytes < 4 ? static_cast<std::size_t>(work.element_bytes) : 4;
    for (std::size_t i = 0; i < static_cast<std::size_t>(work.element_bytes); i += step) {
        Word word = 0;
        std::memcpy(&word, element + i, step);
        word = work.arithmetic == Arithmetic::fma
                   ? apply_float_steps(word, work.arithmetic_steps)
                   : apply_integer_steps(word, work.arithmetic_steps);
        std::memcpy(element + i, &word, step);
    }
}

/// Computes the value that a fill kernel stores to a cell.
void make_fill_element(const Computation& work, int row, int col, unsigned char* element) {
    const Word cell = static_cast<Word>(row) * 0x9e3779b1u + static_cast<Word>(col) * 0x85ebca6bu;
    for (int i = 0; i < work.element_bytes; i += 4) {
        const Word word = cell + static_cast<Word>(i / 4);
        std::memcpy(element + i, &word, static_cast<std::size_t>(std::min(work.element_bytes, 4)));
    }
}

/// Returns the byte offset of an element.
std::size_t offset_in_matrix(const Computation& work, int row, int pitch, int col) {
    return (static_cast<std::size_t>(row) * static_cast<std::size_t>(pitch) +
            static_cast<std::size_t>(col)) *
           static_cast<std::size_t>(work.element_bytes);
}

/// Computes the output element that corresponds to the input element in column `col` of its row.
void compute_output_element(const Computation& work, const MatrixLaunch& run, int row, int col,
                            const ByteVector& in, ByteVector& out) {
    if (work.kind == MatrixOperation::fill) {
        if (col % work.fill_column_step == 0)
            make_fill_element(work, row, col,
                              &out[offset_in_matrix(work, row, run.out_pitch, col)]);
        return;
    }
    const bool is_transposed = work.kind == MatrixOperation::transpose;
    // If a tile extends beyond the matrix, the two strides are equal. Equal strides do not move an
    // element.
    const bool does_column_change = work.read_stride != work.write_stride;
    const int from =
        does_column_change ? strided_column(col, work.column_group, work.read_stride) : col;
    const int to =
        does_column_change ? strided_column(col, work.column_group, work.write_stride) : col;
    unsigned char* element = &out[is_transposed ? offset_in_matrix(work, col, run.out_pitch, row)
                                                : offset_in_matrix(work, row, run.out_pitch, to)];
    std::memcpy(element, &in[offset_in_matrix(work, row, run.in_pitch, from)],
                static_cast<std::size_t>(work.element_bytes));
    apply_arithmetic(work, element);
}

/// Returns the sum of an element's words.
Word sum_words(const Computation& work, const unsigned char* element) {
    Word sum = 0;
    const auto size = static_cast<std::size_t>(work.element_bytes);
    for (std::size_t i = 0; i < size; i += 4) {
        Word word = 0;
        std::memcpy(&word, element + i, std::min<std::size_t>(size, 4));
        sum += word;
    }
    return sum;
}

std::string describe_wrong_sum(Word expected, const ByteVector& out) {
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

ByteVector make_input(const Computation& work, std::size_t bytes) {
    ByteVector in(bytes);
    for (std::size_t i = 0; i < bytes; i += 4) {
        auto word = static_cast<Word>(campaign::hash_bits(i) >> 32);
        if (work.arithmetic == Arithmetic::fma) word = (word & 0x007fffff) | 0x3f800000;
        std::memcpy(&in[i], &word, std::min<std::size_t>(4, bytes - i));
    }
    return in;
}

ByteVector expected_output(const Computation& work, const MatrixLaunch& run, const ByteVector& in) {
    ByteVector out(run.out_bytes, kUnwrittenByte);
    for (int row = 0; row < run.rows; ++row) {
        for (int col = 0; col < run.cols; ++col)
            compute_output_element(work, run, row, col, in, out);
    }
    return out;
}

std::uint32_t expected_sum(const Computation& work, const MatrixLaunch& run, const ByteVector& in) {
    Word sum = 0;
    for (int row = 0; row < run.rows; ++row) {
        for (int col = 0; col < run.cols; ++col) {
            std::array<unsigned char, 16> element{};
            std::memcpy(element.data(), &in[offset_in_matrix(work, row, run.in_pitch, col)],
                        static_cast<std::size_t>(work.element_bytes));
            apply_arithmetic(work, element.data());
            sum += sum_words(work, element.data());
        }
    }
    return sum;
}

std::string describe_wrong_element(const Computation& work, const MatrixLaunch& run,
                                   const ByteVector& in, const ByteVector& out) {
    if (work.kind == MatrixOperation::sum)
        return describe_wrong_sum(expected_sum(work, run, in), out);
    const ByteVector expected_bytes = expected_output(work, run, in);
    for (std::size_t i = 0; i < expected_bytes.size(); ++i) {
        if (out[i] == expected_bytes[i]) continue;
        const std::size_t element_index = i / static_cast<std::size_t>(work.element_bytes);
        const auto pitch = static_cast<std::size_t>(run.out_pitch);
        return format("byte %zu, in row %zu and column %zu of the result, is %d instead of %d", i,
                      element_index / pitch, element_index % pitch, out[i], expected_bytes[i]);
    }
    return "";
}

}  // namespace coalesce::timing
