/// \file
/// Arrays with known answers, for `coalesce::permute` and for versions that are wrong on purpose.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace coalesce::samples {

/// One call.
struct PermuteSample {
    int size = 4;                                ///< bytes of an element
    std::vector<std::int64_t> sizes = {};        ///< of the axes of `in`
    std::vector<int> order = {};                 ///< axis k of `out` is axis order[k] of `in`
    std::int64_t in_offset = 0, out_offset = 0;  ///< elements before the arrays in their memory

    /// "(2 3 4) to (0 2 1) of 4 bytes, offsets 0 and 1": all that is needed to try it again.
    std::string name() const;
    std::int64_t count() const;  ///< elements
};

/// What is tried.
using Permuter =
    std::function<cudaError_t(void* out, const void* in, const PermuteSample&, cudaStream_t)>;

/// `coalesce::permute`.
cudaError_t permute(void* out, const void* in, const PermuteSample& sample, cudaStream_t stream);

/// An array of 0 to 6 axes, of about `most_elements` elements at most: short axes and long ones, of length 1 and
/// 0 too, any order, any start.
PermuteSample random_permute_sample(std::mt19937_64& random, std::int64_t most_elements);

/// Runs it; "", or what is wrong: an element, a byte outside, a report of the simulator's checks.
std::string trouble_with(const PermuteSample& sample, const Permuter& permuter);

}  // namespace coalesce::samples
