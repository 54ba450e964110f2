/// \file
/// Describes the task of a kernel, and computes the source of each cell of its output.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/harness.h"
#include "harness/pattern.h"

namespace coalesce {

/// A position in a matrix.
struct Cell {
    std::int64_t row = 0;  ///< index, counted from 0
    std::int64_t col = 0;  ///< index, counted from 0
    /// Orders cells row by row.
    auto operator<=>(const Cell&) const = default;
};

/// The task of a kernel: an input of `rows` x `cols` elements, and the expected output.
struct Problem {
    std::int64_t rows = 0;                      ///< rows of the input
    std::int64_t cols = 0;                      ///< columns of the input
    Produces produces = {Produces::transpose};  ///< the expected output
    std::size_t element_size = sizeof(float);   ///< bytes per element: 1, 2, 4, 8 or 16
    std::uint64_t seed = 0;                     ///< selects the values of the input
    /// Whether NaNs must keep their bits. If false, any NaN is accepted in place of another.
    /// Applies to elements of 4 and 8 bytes.
    bool keeps_nan_payloads = true;
    /// Whether the input contains ordinary numbers instead of unique bits. Inputs of tasks whose
    /// output is computed always contain ordinary numbers.
    bool has_numbers = false;

    /// Reports whether rows of the input become columns of the output.
    bool swaps_rows_and_cols() const {
        return produces.kind == Produces::transpose || produces.kind == Produces::moved_tiles;
    }
    /// Returns the number of rows of the output.
    std::int64_t out_rows() const {
        if (is_permuted()) return elements() / out_cols();
        if (is_computed()) return extent(produces.computation.out_rows);
        return swaps_rows_and_cols() ? cols : rows;
    }
    /// Returns the number of columns of the output.
    std::int64_t out_cols() const {
        if (is_permuted()) return axes().out_extents()[static_cast<std::size_t>(axes().rank - 1)];
        if (is_computed()) return extent(produces.computation.out_cols);
        return swaps_rows_and_cols() ? rows : cols;
    }
    /// Reports whether the output overwrites the input in the same memory.
    bool is_in_place() const { return produces.in_place; }
    /// Returns the axes of a permuted array, with all extents known. For a matrix, the rank is 0.
    Permutation axes() const {
        Permutation axes = produces.permutation;
        if (axes.rank == 0) return axes;
        if (int& last_extent = axes.extents[static_cast<std::size_t>(axes.rank - 1)];
            last_extent == 0) {
            last_extent = static_cast<int>(cols);
        }
        if (int& first_extent = axes.extents[0]; first_extent == 0) {
            first_extent = 1;
            first_extent = static_cast<int>(elements() / axes.elements());
        }
        return axes;
    }
    /// Reports whether the task permutes the axes of an array. Such an array is treated as a matrix
    /// whose rows run along the last axis.
    bool is_permuted() const { return produces.kind == Produces::permuted; }
    /// Reports whether the output is computed from the input. Such an output has no source cells,
    /// so `source_of` returns nothing.
    bool is_computed() const { return produces.kind == Produces::computed; }
    /// Returns the number of matrices that are transposed separately. Returns 0 if the task is not
    /// a batch of matrices.
    std::int64_t batches() const;
    /// For a batch, returns the task of a single matrix. Returns any other task unchanged.
    Problem problem_of_one_matrix() const;
    /// Returns the number of rows of the input, including those of a second input matrix, if any.
    std::int64_t in_rows() const {
        return rows + (is_computed() ? extent(produces.computation.second_rows) : 0);
    }
    /// Returns the number of elements of the input. The output has the same number, except for
    /// tasks of the kind Produces::computed.
    std::int64_t elements() const { return in_rows() * cols; }
    /// Returns the number of elements of the output.
    std::int64_t out_elements() const {
        return is_computed() ? out_rows() * out_cols() : elements();
    }
    /// Returns the size of the input in bytes.
    std::size_t bytes() const { return static_cast<std::size_t>(elements()) * element_size; }
    /// Returns the size of the output in bytes.
    std::size_t out_bytes() const {
        return static_cast<std::size_t>(out_elements()) * element_size;
    }
    /// Returns the smallest number of bytes that a kernel must read and write.
    std::size_t moved_bytes() const {
        const bool writes_nothing = is_computed() && !produces.computation.row;
        return bytes() + (writes_nothing ? 0 : out_bytes());
    }

    /// Reports whether the cell is within the input.
    bool contains(Cell cell) const {
        return cell.row >= 0 && cell.row < rows && cell.col >= 0 && cell.col < cols;
    }
    /// Returns the memory index of an input cell, in elements.
    std::int64_t index(Cell cell) const { return cell.row * cols + cell.col; }
    /// Returns the input cell at this memory index.
    Cell in_cell(std::int64_t index) const { return {index / cols, index % cols}; }
    /// Returns the output cell at this memory index.
    Cell out_cell(std::int64_t index) const { return {index / out_cols(), index % out_cols()}; }

    /// Returns the cell of the input whose value belongs in this cell of the output. Returns
    /// nothing if the cell should stay unwritten.
    std::optional<Cell> source_of(Cell out) const {
        const std::int64_t tile = produces.tile;
        Cell source;
        switch (produces.kind) {
            case Produces::transpose: source = {out.col, out.row}; break;
            case Produces::permuted: return find_permuted_source(out);
            case Produces::computed: return std::nullopt;
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
        if (!contains(source)) return std::nullopt;
        return source;
    }

private:
    Cell find_permuted_source(Cell out) const;
    std::int64_t extent(Computation::Extent extent) const {
        switch (extent) {
            case Computation::none: return 0;
            case Computation::one: return 1;
            case Computation::rows: return rows;
            default: return cols;
        }
    }
};

/// Returns the task that `permutation` describes.
Problem problem_of(const Permutation& permutation);
/// Returns the permutation that transposes each matrix of a batch.
Permutation batch_of_transposes(int batches, int rows, int cols);
/// Returns the index in `in` of the element that belongs at `out_index` in `out`.
std::int64_t source_index(const Permutation& permutation, std::int64_t out_index);
/// Describes a permutation, such as "170 x 64 x 96, axes in the order 0 2 1".
std::string text_of(const Permutation& permutation);

/// Reports whether the bits represent a NaN as a float or double. Always returns false for elements
/// of other sizes.
bool is_nan(Bits bits, std::size_t element_size);

}  // namespace coalesce
