/// \file
/// Random kernels, which nobody has tuned the model of time on: their text, their launches, and what they
/// are to compute.
///
/// Each takes (T* out, const T* in, int rows, int cols, int in_pitch, int out_pitch, int zero), where T has
/// `element` bytes, a pitch is the distance of two rows in elements, and `zero` is 0, which compilers do not
/// know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"

namespace coalesce::timing {

/// Random kernels come from each in turn.
enum class Family {
    copy,        ///< elements per thread, block shapes, pitches
    strides,     ///< the lanes of a warp at a stride, when they read or write
    transpose,   ///< without shared memory
    tile,        ///< transposes through tiles of many shapes, padded or not
    barriers,    ///< tiles with more barriers than they need
    staying,     ///< blocks that stay and loop
    occupancy,   ///< fewer blocks at a time than the multiprocessor could hold
    arithmetic,  ///< so much for each element that issue may bind
    reduction,   ///< reads only
    fill,        ///< writes only
};
constexpr Family last_of(Family) {
    return Family::fill;
}

/// What becomes of a matrix.
enum class Kind { copy, transpose, sum, fill };
constexpr Kind last_of(Kind) {
    return Kind::fill;
}

/// What is done to each 32-bit word of an element (to an element, if it is smaller).
enum class Arithmetic { none, integer, fma };
constexpr Arithmetic last_of(Arithmetic) {
    return Arithmetic::fma;
}

/// What is computed, so that the host can say what comes out.
struct Computation {
    Kind kind = Kind::copy;
    int element = 4;  ///< bytes
    /// Columns are taken in pieces of `chunk`; place p of a piece is read from column
    /// p % (chunk / stride) * stride + p / (chunk / stride), and written likewise.
    int chunk = 1, read_stride = 1, write_stride = 1;
    int gap = 1;  ///< a fill writes every so many columns
    Arithmetic arithmetic = Arithmetic::none;
    int steps = 0;  ///< of arithmetic
};

/// A launch, and the matrix that it is for.
struct Run {
    std::array<int, 3> grid{1, 1, 1}, block{1, 1, 1};
    int shared_bytes = 0;  ///< dynamic
    int rows = 0, cols = 0, in_pitch = 0, out_pitch = 0;
    std::uint64_t in_bytes = 0, out_bytes = 0;

    std::int64_t blocks() const { return std::int64_t{1} * grid[0] * grid[1] * grid[2]; }
};

struct Kernel {
    std::string name;  ///< "kernel_07": the function's, and its file's
    Family family = Family::copy;
    std::string title;        ///< for tables: "tile 64x32 of 8 by 256": bytes, threads of a block
    std::string description;  ///< one line
    std::string fingerprint;  ///< of text and launches: what was measured is what was predicted
    Computation work;
    Run full, small;   ///< small: for checks
    std::string text;  ///< CUDA
};

/// `count` kernels, the same on every machine. Kernel i is the same for every count.
std::vector<Kernel> random_kernels(std::uint64_t seed, int count);
/// Transpositions without shared memory, one thing changed at a time.
std::vector<Kernel> transposing_kernels();

/// Writes kernels.json and a file for each kernel into that folder.
void write_kernels(const std::vector<Kernel>& kernels, const std::string& folder);
/// Reads them. Throws UsageError, also when a text is not the one that was written.
std::vector<Kernel> read_kernels(const std::string& folder);

/// The column of place `p`: see Computation.
constexpr int strided(int p, int chunk, int stride) {
    const int first = p / chunk * chunk, within = p % chunk, columns = chunk / stride;
    return first + within % columns * stride + within / columns;
}

// For base/codec.h.

void describe(auto& codec, Computation& work) {
    fields(codec, "kind", work.kind, "element", work.element, "chunk", work.chunk, "read_stride",
           work.read_stride, "write_stride", work.write_stride, "gap", work.gap, "arithmetic",
           work.arithmetic, "steps", work.steps);
}

void describe(auto& codec, Run& run) {
    fields(codec, "grid", run.grid, "block", run.block, "shared_bytes", run.shared_bytes, "rows",
           run.rows, "cols", run.cols, "in_pitch", run.in_pitch, "out_pitch", run.out_pitch,
           "in_bytes", run.in_bytes, "out_bytes", run.out_bytes);
}

void describe(auto& codec, Kernel& kernel) {
    fields(codec, "name", kernel.name, "family", kernel.family, "title", kernel.title,
           "description", kernel.description, "fingerprint", kernel.fingerprint, "work",
           kernel.work, "full", kernel.full, "small", kernel.small);
}

}  // namespace coalesce::timing
