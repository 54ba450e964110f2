/// \file
/// Transposes with known answers, for `coalesce::transpose` and for versions that are wrong on
/// purpose: every byte of both matrices, of the gaps between their rows and behind them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "tests/compiled.h"

namespace coalesce::samples {

/// One call.
struct Sample {
    int size = 4;                                ///< bytes of an element
    std::int64_t rows = 0, cols = 0;             ///< of `in`
    TransposeOptions options = {};               ///< pitches and strides are all given
    std::int64_t in_offset = 0, out_offset = 0;  ///< elements before the matrices in their memory

    /// "1000 x 37 of 4 bytes, pitches 40 and 1000, ...": all that is needed to try it again.
    std::string name() const;
};

/// What is tried.
using Transposer =
    std::function<cudaError_t(void* out, const void* in, const Sample&, cudaStream_t)>;

/// `coalesce::transpose`.
cudaError_t transpose(void* out, const void* in, const Sample& sample, cudaStream_t stream);

/// A sample of any kind: tiny, ragged, narrow, pitched, misaligned, several matrices. Neither
/// matrix has more than about `most_elements`.
Sample random_sample(std::mt19937_64& random, std::int64_t most_elements);

/// Runs it; "", or what is wrong: a cell, a byte outside, a report of the simulator's checks.
std::string trouble_with(const Sample& sample, const Transposer& transposer,
                         cudaStream_t stream = nullptr);

}  // namespace coalesce::samples
