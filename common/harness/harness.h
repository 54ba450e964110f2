/// \file
/// All that a step includes: `run_step`, which makes a program of its kernels, and `ceil_div`.
#pragma once

#include <array>
#include <climits>
#include <string>
#include <vector>

namespace coalesce {

/// How many pieces of `size` cover `count` elements: the last one may hang over.
constexpr unsigned ceil_div(unsigned count, unsigned size) {
    return count / size + (count % size != 0);
}

/// The axes of an array in another order. Axis `k` of `out` is axis `order[k]` of `in`:
///
///     {.rank = 3, .extents = {4096, 64, 96}, .order = {0, 2, 1}}
///
/// is a batch of 4096 matrices, each transposed. The last axis is the one whose elements are neighbours.
struct Permutation {
    int rank = 0;                  ///< axes: 1 to 4; 0 when nothing is permuted
    std::array<int, 4> extents{};  ///< of `in`, the slowest axis first
    std::array<int, 4> order{};    ///< which axis of `in` each axis of `out` is

    /// Elements of the array.
    long long elements() const {
        long long product = 1;
        for (int k = 0; k < rank; ++k) product *= extents[k];
        return product;
    }
    /// The extents of `out`.
    std::array<int, 4> out_extents() const {
        std::array<int, 4> of_out{};
        for (int k = 0; k < rank; ++k) of_out[k] = extents[order[k]];
        return of_out;
    }
};

/// What a variant is meant to leave in `out`. The verifier knows the source of every cell by it.
struct Produces {
    /// The five that the course has.
    enum Kind {
        transpose,         ///< out(col, row) = in(row, col); `out` is cols x rows
        copy,              ///< out(row, col) = in(row, col); `out` is rows x cols
        transposed_tiles,  ///< each tile is transposed but stays where it was; `out` is rows x cols
        moved_tiles,  ///< each tile goes to its new place, not transposed; `out` is cols x rows
        permuted,     ///< the axes of an array in another order: see `permutation`
    };
    /// Which of these.
    Kind kind = transpose;
    /// Side of the tiles of the last two. On ragged edges, cells whose source would lie outside the
    /// matrix stay untouched.
    int tile = 32;
    /// `out` and `in` are one buffer: what the matrix was before is the input.
    bool in_place = false;
    /// For `permuted`. Extents of 0 are left open: the last is then the columns of the matrix, the
    /// first as many as its elements make.
    Permutation permutation = {};
};

/// A matrix that is transposed in its own memory.
constexpr Produces in_place() {
    return {.kind = Produces::transpose, .in_place = true};
}

/// The rows of a matrix are those of many, below each other, each with so many; each is transposed.
constexpr Produces stack_of(int matrix_rows) {
    return {.kind = Produces::permuted,
            .permutation = {.rank = 3, .extents = {0, matrix_rows, 0}, .order = {0, 2, 1}}};
}

/// Where a buffer lies. Host memory is page-locked.
enum class Memory { device, host };

/// Does the work once: asynchronously, in the default stream, when a GPU takes part.
using LaunchFunction = void (*)(float* out, const float* in, int rows, int cols);
/// The same for a variant that permutes the axes of an array.
using PermuteFunction = void (*)(float* out, const float* in, const Permutation& permutation);

/// One kernel of a step, with all that the harness has to know of it.
struct Variant {
    /// Short, for the tables and --variant: "naive", "32x8", "float4 copy".
    std::string name = "";
    /// A sentence for --list.
    std::string about = "";
    /// Its launch, or the host code.
    LaunchFunction launch = nullptr;
    /// What it is meant to leave in `out`.
    Produces produces = {Produces::transpose};
    /// The rows that it handles are multiples of this; others are refused with a message.
    int rows_multiple = 1;
    /// Likewise the columns.
    int cols_multiple = 1;
    /// Where the input lies. Host code and transfers are variants too; they have no counters.
    Memory in = Memory::device;
    /// Where the output lies.
    Memory out = Memory::device;
    /// It calls a library that only a real GPU runs: skipped on the simulator, with that reason.
    bool needs_gpu = false;
    /// It computes with what it moves, so that a NaN may come out as another NaN: the table says
    /// so.
    bool keeps_nan_payloads = true;
    /// Bytes of an element: 1, 2, 4, 8 or 16. Where they are not 4, the launch casts its pointers.
    int element_size = 4;
    /// It takes squares alone.
    bool square_only = false;
    /// It takes no more rows or columns than this.
    int longest_side = INT_MAX;
    /// For one that permutes, in the place of `launch`. `produces.permutation` then has the order and
    /// the extents, except for the first, the number of batches: there are as many as rows x cols
    /// elements hold. Its rows (an axis of `in`) are the last axis of `out`, its columns the last of
    /// `in`: what `rows_multiple` and `cols_multiple` are about.
    PermuteFunction permute = nullptr;

    /// Whether it makes another matrix of a matrix, as most do.
    bool is_plain() const { return !produces.in_place && produces.kind != Produces::permuted; }
};

/// The `main` of a step: reads the options (--help lists them), says on which device it is, then
/// verifies, counts or times each variant. The first is the step's headline. Returns the exit code:
/// 0, 1 when a result was wrong, 2 when it could not be run.
int run_step(int argc, char** argv, const std::vector<Variant>& variants);

}  // namespace coalesce

using coalesce::ceil_div;
using coalesce::in_place;
using coalesce::Memory;
using coalesce::Permutation;
using coalesce::Produces;
using coalesce::run_step;
using coalesce::stack_of;
