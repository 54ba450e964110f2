/// \file
/// The benchmark cases of `coalesce::transpose`, and functions to run and verify them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::proof {

/// A transpose of one or more matrices.
struct TransposeCase {
    std::string name;          ///< name such as "int8" or "a part of a matrix"
    int element_size = 4;      ///< bytes per element
    std::int64_t batches = 1;  ///< number of matrices
    std::int64_t rows = 0;
    std::int64_t cols = 0;      ///< columns of `in`
    std::int64_t in_pitch = 0;  ///< distance between rows in elements; 0 means no gap between rows
    std::int64_t start = 0;     ///< offset of the matrix in its buffer, in elements, to misalign it

    /// Returns the number of bytes copied from one matrix to the other.
    std::size_t bytes() const {
        return static_cast<std::size_t>(batches * rows * cols) *
               static_cast<std::size_t>(element_size);
    }
    /// Returns the number of bytes of memory that `in` spans.
    std::size_t in_bytes() const {
        const std::int64_t pitch = in_pitch == 0 ? cols : in_pitch;
        return static_cast<std::size_t>(start + batches * rows * pitch) *
               static_cast<std::size_t>(element_size);
    }
    /// Returns the shape, such as "4096 x 64 x 96" or "8191 x 8193".
    std::string shape_text() const;
};

/// Returns all cases. If `divided` is true, the long sides are shortened, so that the simulated GPU
/// can run the cases.
std::vector<TransposeCase> transpose_cases(bool divided);

/// Fills memory with bytes that depend on their position.
void fill_by_position(void* data, std::size_t bytes);
/// Calls `coalesce::transpose` on the default stream. Throws CudaError.
void transpose_case(void* out, const void* in, const TransposeCase& shape);
std::uint64_t wrong_elements(const void* out, const void* in, const TransposeCase& shape);

}  // namespace coalesce::proof
