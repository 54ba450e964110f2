/// \file
/// Random kernels for which the time model was not tuned: their text, their launches, and their
/// expected results.
///
/// Every kernel takes (T* out, const T* in, int rows, int cols, int in_pitch, int out_pitch, int
/// zero). A T has Computation::element_bytes bytes. A pitch is the distance between two rows in
/// elements. `zero` is always 0, but the compiler cannot know this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"

namespace coalesce::timing {

/// The families of random kernels. The generator takes them in rotation.
enum class Family {
    copy,        ///< copies with different block shapes, pitches, and elements per thread
    strides,     ///< copies in which a warp's lanes read or write with a stride
    transpose,   ///< transposes without shared memory
    tile,        ///< transposes through tiles of many shapes, with or without padding
    barriers,    ///< tiles with more barriers than necessary
    staying,     ///< persistent blocks in a loop
    occupancy,   ///< fewer resident blocks than the multiprocessor could run
    arithmetic,  ///< so much arithmetic per element that the issue rate may limit the kernel
    reduction,   ///< kernels that only read
    fill,        ///< kernels that only write
};
constexpr Family last_of(Family) {
    return Family::fill;
}

enum class MatrixOperation { copy, transpose, sum, fill };
constexpr MatrixOperation last_of(MatrixOperation) {
    return MatrixOperation::fill;
}

/// The operation on each 32-bit word of an element, or on the whole element if it is smaller.
enum class Arithmetic { none, integer, fma };
constexpr Arithmetic last_of(Arithmetic) {
    return Arithmetic::fma;
}

/// The computation of a kernel, from which the host computes the expected result.
struct Computation {
    MatrixOperation kind = MatrixOperation::copy;
    int element_bytes = 4;  ///< bytes per element
    /// The order in which loads and stores access the columns of a group. A group has
    /// `column_group` columns. With a stride of 4, the order is 0, 4, 8, ..., then 1, 5, 9, ...
    /// Loads use `read_stride`, and stores use `write_stride`.
    int column_group = 1, read_stride = 1, write_stride = 1;
    int fill_column_step = 1;  ///< for fills: only every `fill_column_step`-th column is written
    Arithmetic arithmetic = Arithmetic::none;
    int arithmetic_steps = 0;  ///< number of arithmetic steps
};

/// A launch and the matrix that it works on.
struct MatrixLaunch {
    std::array<int, 3> grid{1, 1, 1}, block{1, 1, 1};
    int shared_bytes = 0;  ///< bytes of dynamic shared memory
    int rows = 0, cols = 0, in_pitch = 0, out_pitch = 0;
    std::uint64_t in_bytes = 0, out_bytes = 0;

    std::int64_t blocks() const { return std::int64_t{1} * grid[0] * grid[1] * grid[2]; }
};

struct Kernel {
    std::string name;  ///< name of the function and of its file, such as "kernel_07"
    Family family = Family::copy;
    /// A title for tables. For example, "tile 64x32 of 8 by 256" means 8-byte elements and 256
    /// threads per block.
    std::string title;
    std::string description;  ///< a description in one line
    /// Hash of the text and the launches. A measurement and a prediction with the same hash belong
    /// to the same kernel.
    std::string fingerprint;
    Computation computation;
    MatrixLaunch measured_launch, checked_launch;  ///< `checked_launch` has a small matrix
    std::string text;                              ///< CUDA source
};

/// Returns `count` kernels, the same on every machine. Kernel i does not depend on `count`.
std::vector<Kernel> random_kernels(std::uint64_t seed, int count);
/// Returns transposes without shared memory. They differ from each other in one parameter at a
/// time.
std::vector<Kernel> transposing_kernels();

/// Writes kernels.json and a file for each kernel to `folder`.
void write_kernels(const std::vector<Kernel>& kernels, const std::string& folder);
/// Reads the kernels in a folder. Throws UsageError if a text has changed since it was written.
std::vector<Kernel> read_kernels(const std::string& folder);

/// Returns the column at position `p` in the strided order that Computation::column_group
/// describes.
constexpr int strided_column(int p, int column_group, int stride) {
    const int group_start = p / column_group * column_group, position_in_group = p % column_group,
              columns_per_pass = column_group / stride;
    return group_start + position_in_group % columns_per_pass * stride +
           position_in_group / columns_per_pass;
}

// Serialization for base/codec.h.

void describe(auto& codec, Computation& work) {
    fields(codec, "kind", work.kind, "element", work.element_bytes, "chunk", work.column_group,
           "read_stride", work.read_stride, "write_stride", work.write_stride, "gap",
           work.fill_column_step, "arithmetic", work.arithmetic, "steps", work.arithmetic_steps);
}

void describe(auto& codec, MatrixLaunch& run) {
    fields(codec, "grid", run.grid, "block", run.block, "shared_bytes", run.shared_bytes, "rows",
           run.rows, "cols", run.cols, "in_pitch", run.in_pitch, "out_pitch", run.out_pitch,
           "in_bytes", run.in_bytes, "out_bytes", run.out_bytes);
}

void describe(auto& codec, Kernel& kernel) {
    fields(codec, "name", kernel.name, "family", kernel.family, "title", kernel.title,
           "description", kernel.description, "fingerprint", kernel.fingerprint, "work",
           kernel.computation, "full", kernel.measured_launch, "small", kernel.checked_launch);
}

}  // namespace coalesce::timing
