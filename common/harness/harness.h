/// \file
/// The header that every step includes. It declares `ceil_div`, and `run_step`, which implements
/// the main function of a step.
#pragma once

#include <array>
#include <climits>
#include <string>
#include <vector>

namespace coalesce {

/// Returns the number of blocks of `size` elements that are needed to cover `count` elements. The
/// last block may be incomplete.
constexpr unsigned ceil_div(unsigned count, unsigned size) {
    return count / size + (count % size != 0);
}

/// A permutation of an array's axes. Axis `k` of `out` is axis `order[k]` of `in`. For example,
///
///     {.rank = 3, .extents = {4096, 64, 96}, .order = {0, 2, 1}}
///
/// is a batch of 4096 matrices, each of which is transposed. Elements along the last axis are
/// adjacent in memory.
struct Permutation {
    int rank = 0;                  ///< the number of axes, from 1 to 4, or 0 if nothing is permuted
    std::array<int, 4> extents{};  ///< the extents of `in`; the first axis varies slowest
    std::array<int, 4> order{};    ///< for each axis of `out`, the corresponding axis of `in`

    /// Returns the number of elements.
    long long elements() const {
        long long product = 1;
        for (int k = 0; k < rank; ++k) product *= extents[k];
        return product;
    }
    /// Returns the extents of `out`.
    std::array<int, 4> out_extents() const {
        std::array<int, 4> permuted_extents{};
        for (int k = 0; k < rank; ++k) permuted_extents[k] = extents[order[k]];
        return permuted_extents;
    }
};

/// A function that computes row `out_row` of an output on the host, in double precision, and stores
/// the row in `out`. `in` is the whole input, which begins with a matrix of rows x cols.
using RowFunction = void (*)(const float* in, int rows, int cols, int out_row, double* out);

/// An output that is computed from the input, such as the sums of the rows of a matrix. The input
/// of such a task consists of floats in the range [0.5, 1).
struct Computation {
    /// An extent of a matrix: 0, 1, or the number of rows or columns of the first input matrix.
    enum Extent { none, one, rows, cols };
    /// The function that computes a row of the output, or nullptr if the kernel must write nothing.
    RowFunction row = nullptr;
    Extent out_rows = rows;  ///< the number of rows of the output
    Extent out_cols = one;   ///< the number of columns of the output
    /// The number of rows of a second input matrix. The second matrix has `cols` columns, and
    /// follows the first matrix in `in`.
    Extent second_rows = none;
    double tolerance = 1e-5;  ///< the largest allowed relative error of an element
    /// The maximum number of rows or columns. Some tasks need a low limit, because their work grows
    /// faster than the matrix.
    int longest_side = INT_MAX;
    /// The side of the square matrix on which the simulated GPU counts costs, if the user gives no
    /// other shape.
    int counted_side = 1024;
};

/// The expected output of a variant. If the variant only moves values, the expected output also
/// determines which cell of `in` belongs in each cell of `out`.
struct Produces {
    /// The kinds of expected outputs.
    enum Kind {
        transpose,         ///< out(col, row) = in(row, col); `out` is cols x rows
        copy,              ///< out(row, col) = in(row, col); `out` is rows x cols
        transposed_tiles,  ///< each tile is transposed in place; `out` is rows x cols
        moved_tiles,       ///< each tile is moved but not transposed; `out` is cols x rows
        permuted,          ///< axes of an array are permuted; see `permutation`
        computed,          ///< each element is computed; see `computation`
    };
    /// The kind of output that the kernel must produce.
    Kind kind = transpose;
    /// The side of the tiles for transposed_tiles and moved_tiles. At ragged edges, a cell stays
    /// unwritten if its source would be outside the matrix.
    int tile = 32;
    /// Whether `out` and `in` are the same buffer. If so, the input is the content of the buffer
    /// before the launch.
    bool in_place = false;
    /// The permutation for `permuted`. If its first or last extent is 0, the harness chooses an
    /// extent that fits the matrix.
    Permutation permutation = {};
    /// The computation for `computed`.
    Computation computation = {};
};

/// Returns the expected output of a variant that transposes a matrix in place.
constexpr Produces in_place() {
    return {.kind = Produces::transpose, .in_place = true};
}

/// Returns the expected output for a stack of matrices. The matrices have `matrix_rows` rows each,
/// are stored one after another, and are transposed separately.
constexpr Produces stack_of(int matrix_rows) {
    return {.kind = Produces::permuted,
            .permutation = {.rank = 3, .extents = {0, matrix_rows, 0}, .order = {0, 2, 1}}};
}

/// Returns the expected output of a variant that computes `computation`.
constexpr Produces computed(const Computation& computation) {
    return {.kind = Produces::computed, .computation = computation};
}

/// The location of a buffer. Host memory is page-locked.
enum class Memory { device, host };

/// A function that launches a variant once. A launch on the GPU is asynchronous and uses the
/// default stream.
using LaunchFunction = void (*)(float* out, const float* in, int rows, int cols);
/// The LaunchFunction of a variant that permutes the axes of an array.
using PermuteFunction = void (*)(float* out, const float* in, const Permutation& permutation);

/// One kernel of a step, with everything that the harness needs to know about it.
struct Variant {
    /// A short name for tables and --variant, such as "naive", "32x8" or "float4 copy".
    std::string name = "";
    /// A sentence for --list.
    std::string about = "";
    /// The function that launches the kernel or runs the host code.
    LaunchFunction launch = nullptr;
    /// The expected output.
    Produces produces = {Produces::transpose};
    /// The matrix's number of rows must be a multiple of this number. For other shapes the harness
    /// prints a message and stops.
    int rows_multiple = 1;
    /// The matrix's number of columns must be a multiple of this number.
    int cols_multiple = 1;
    /// The location of the input. The input is in host memory for host code and for copies from the
    /// host to the device.
    Memory in = Memory::device;
    /// The location of the output.
    Memory out = Memory::device;
    /// Whether the variant calls a library that needs a real GPU. On the simulator, the harness
    /// skips such variants and says why.
    bool needs_gpu = false;
    /// Whether NaNs keep their bits. A variant that computes with its values may change a NaN into
    /// a different NaN.
    bool keeps_nan_payloads = true;
    /// Bytes per element: 1, 2, 4, 8 or 16. If the size is not 4, the launch function casts its
    /// pointers.
    int element_size = 4;
    /// Whether the variant accepts square matrices only.
    bool square_only = false;
    /// The largest number of rows or columns that the variant accepts.
    int longest_side = INT_MAX;
    /// The launch function of a variant that permutes the axes of an array. Such a variant has no
    /// `launch`. Its `cols_multiple` restricts the last axis of `in`, and its `rows_multiple`
    /// restricts the axis that becomes the last axis of `out`.
    PermuteFunction permute = nullptr;

    /// Reports whether the variant computes its output from the input, instead of only moving
    /// elements.
    bool is_computed() const { return produces.kind == Produces::computed; }
    /// Reports whether the variant only moves elements of one matrix to another matrix.
    bool is_plain() const {
        return !produces.in_place && produces.kind != Produces::permuted && !is_computed();
    }
};

/// Implements `main` for a step. Reads the options that --help lists, prints the name of the
/// device, verifies each variant, and measures each variant's time or counters. The first variant
/// is the step's main kernel. Returns the exit code, which is 0 on success, 1 if a result was
/// wrong, and 2 if the program could not run.
int run_step(int argc, char** argv, const std::vector<Variant>& variants);

}  // namespace coalesce

using coalesce::ceil_div;
using coalesce::Computation;
using coalesce::computed;
using coalesce::in_place;
using coalesce::Memory;
using coalesce::Permutation;
using coalesce::Produces;
using coalesce::run_step;
using coalesce::stack_of;
