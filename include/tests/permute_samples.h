/// \file
/// Arrays with known results, for testing `coalesce::permute` and deliberately wrong versions of
/// this function.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace coalesce::samples {

/// One call of `permute`.
struct PermuteSample {
    int size = 4;                                ///< bytes per element
    std::vector<std::int64_t> sizes = {};        ///< the sizes of the axes of `in`
    std::vector<int> order = {};                 ///< axis k of `out` is axis order[k] of `in`
    std::int64_t in_offset = 0, out_offset = 0;  ///< elements before each array in its memory

    /// Returns a text with everything that is needed to repeat the call, such as "(2 3 4) to (0 2
    /// 1) of 4 bytes, offsets 0 and 1".
    std::string name() const;
    std::int64_t count() const;  ///< the number of elements
};

/// A function that is tested like `permute`.
using Permuter =
    std::function<cudaError_t(void* out, const void* in, const PermuteSample&, cudaStream_t)>;

/// Calls `coalesce::permute`.
cudaError_t permute(void* out, const void* in, const PermuteSample& sample, cudaStream_t stream);

/// Returns a random array of 0 to 6 axes with at most about `most_elements` elements. Its axes may
/// be long or short, including lengths 1 and 0, in any order. It may start at any element.
PermuteSample random_permute_sample(std::mt19937_64& random, std::int64_t most_elements);

/// Runs the function on the sample. Returns "" or the first error: a wrong element, a changed byte
/// outside the array, or a report of the simulator's checks.
std::string trouble_with(const PermuteSample& sample, const Permuter& permuter);

}  // namespace coalesce::samples
