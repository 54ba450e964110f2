/// \file
/// What a kernel has to do, and where each cell of its output comes from.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/harness.h"
#include "harness/pattern.h"

namespace coalesce {

/// A place in a matrix.
struct Cell {
    std::int64_t row = 0;  ///< counted from 0
    std::int64_t col = 0;  ///< counted from 0
    /// Row by row.
    auto operator<=>(const Cell&) const = default;
};

/// One task for a kernel: an input of `rows` x `cols` elements, and what it is to make of it.
struct Problem {
    std::int64_t rows = 0;                      ///< rows of the input
    std::int64_t cols = 0;                      ///< columns of the input
    Produces produces = {Produces::transpose};  ///< what the output should hold
    std::size_t element_size = sizeof(float);   ///< 1, 2, 4, 8 or 16 bytes
    std::uint64_t seed = 0;                     ///< another seed, another input
    /// When false, any NaN is right where a NaN is expected. For elements of 4 and 8 bytes.
    bool keeps_nan_payloads = true;

    /// Whether rows of the input are columns of the output.
    bool is_turned() const {
        return produces.kind == Produces::transpose || produces.kind == Produces::moved_tiles;
    }
    /// Rows of the output.
    std::int64_t out_rows() const {
        if (is_permuted()) return elements() / out_cols();
        return is_turned() ? cols : rows;
    }
    /// Columns of the output.
    std::int64_t out_cols() const {
        if (is_permuted()) return axes().out_extents()[static_cast<std::size_t>(axes().rank - 1)];
        return is_turned() ? rows : cols;
    }
    /// Whether the output is the input's own memory.
    bool is_in_place() const { return produces.in_place; }
    /// The axes of an array that is permuted, none of them open; of a matrix none at all.
    Permutation axes() const {
        Permutation axes = produces.permutation;
        if (axes.rank == 0) return axes;
        if (int& last = axes.extents[static_cast<std::size_t>(axes.rank - 1)]; last == 0) {
            last = static_cast<int>(cols);
        }
        if (int& first = axes.extents[0]; first == 0) {
            first = 1;
            first = static_cast<int>(elements() / axes.elements());
        }
        return axes;
    }
    /// Whether it is about an array whose axes are permuted. As a matrix, its last axis is a row.
    bool is_permuted() const { return produces.kind == Produces::permuted; }
    /// How many matrices are transposed, each by itself; 0 when it is another task.
    std::int64_t batches() const;
    /// The task of one of the matrices of a batch; the task itself when it is another.
    Problem of_one_matrix() const;
    /// Elements of the input, and of the output.
    std::int64_t elements() const { return rows * cols; }
    /// Bytes of the input, and of the output.
    std::size_t bytes() const { return static_cast<std::size_t>(elements()) * element_size; }

    /// Whether the input has that cell.
    bool has(Cell cell) const {
        return cell.row >= 0 && cell.row < rows && cell.col >= 0 && cell.col < cols;
    }
    /// The place of an input's cell in memory, counted in elements.
    std::int64_t index(Cell cell) const { return cell.row * cols + cell.col; }
    /// The cell of the input at that place in memory.
    Cell in_cell(std::int64_t index) const { return {index / cols, index % cols}; }
    /// The cell of the output at that place in memory.
    Cell out_cell(std::int64_t index) const { return {index / out_cols(), index % out_cols()}; }

    /// The cell of the input that belongs into that cell of the output. Nothing: it stays
    /// untouched.
    std::optional<Cell> source_of(Cell out) const {
        const std::int64_t tile = produces.tile;
        Cell source;
        switch (produces.kind) {
            case Produces::transpose: source = {out.col, out.row}; break;
            case Produces::permuted: return permuted_source_of(out);
            case Produces::copy: source = out; break;
            case Produces::transposed_tiles:
                source = {out.row / tile * tile + out.col % tile,
                          out.col / tile * tile + out.row % tile};
                break;
            case Produces::moved_tiles:
                source = {out.col / tile * tile + out.row % tile,
                          out.row / tile * tile + out.col % tile};
                break;
        }
        if (!has(source)) return std::nullopt;
        return source;
    }

private:
    Cell permuted_source_of(Cell out) const;
};

/// The task of permuting an array.
Problem problem_of(const Permutation& permutation);
/// A batch of matrices, each of which is to be transposed.
Permutation batch_of(int batches, int rows, int cols);
/// The place in `in` of what belongs at that place of `out`, both counted in elements.
std::int64_t source_index(const Permutation& permutation, std::int64_t out_index);
/// "170 x 64 x 96, axes in the order 0 2 1"
std::string text_of(const Permutation& permutation);

/// Whether those bits are a NaN of a float or a double; false for elements of other sizes.
bool is_nan(Bits bits, std::size_t element_size);

}  // namespace coalesce
