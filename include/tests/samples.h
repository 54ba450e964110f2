/// \file
/// Transposes with known results, for testing `coalesce::transpose` and deliberately wrong versions
/// of it. The samples check every byte of both matrices, every byte in the gaps between rows, and
/// the memory after the last row.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "tests/compiled.h"

namespace coalesce::samples {

/// One call of `transpose`.
struct Sample {
    int size = 4;                     ///< bytes per element
    std::int64_t rows = 0, cols = 0;  ///< the size of `in`
    TransposeOptions options = {};    ///< the options, with all pitches and strides filled in
    /// Number of elements between the start of the allocation and the matrix.
    std::int64_t in_offset = 0, out_offset = 0;

    /// Returns a description that is sufficient to repeat the call, such as "1000 x 37 of 4 bytes,
    /// pitches 40 and 1000, ...".
    std::string name() const;
};

/// A function that can be tested in place of `transpose`.
using Transposer =
    std::function<cudaError_t(void* out, const void* in, const Sample&, cudaStream_t)>;

/// Calls `coalesce::transpose`.
cudaError_t transpose(void* out, const void* in, const Sample& sample, cudaStream_t stream);

/// Returns a random sample. Its matrices may be tiny, ragged, narrow, pitched, misaligned or
/// batched. Neither matrix has many more than `most_elements` elements.
Sample random_sample(std::mt19937_64& random, std::int64_t most_elements);

/// Runs the function on the sample. Returns the first error, or "" if there is none. An error is a
/// wrong cell, a changed byte outside the matrix, or a report of the simulator's checks.
std::string find_error(const Sample& sample, const Transposer& transposer,
                       cudaStream_t stream = nullptr);

}  // namespace coalesce::samples
