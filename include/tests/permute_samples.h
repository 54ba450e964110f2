/// \file
/// Arrays with known results, for testing `coalesce::permute` and deliberately wrong versions
/// of it.
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

    /// Returns everything that is needed to repeat the call: "(2 3 4) to (0 2 1) of 4 bytes,
    /// offsets 0 and 1".
    std::string name() const;
    std::int64_t count() const;  ///< the number of elements
};

/// A function to test.
using Permuter =
    std::function<cudaError_t(void* out, const void* in, const PermuteSample&, cudaStream_t)>;

/// Calls `coalesce::permute`.
cudaError_t permute(void* out, const void* in, const PermuteSample& sample, cudaStream_t stream);

/// Returns a random array of 0 to 6 axes with about `most_elements` elements at most. It has short
/// and long axes, including some of length 1 and 0, in any order, and may start anywhere.
PermuteSample random_permute_sample(std::mt19937_64& random, std::int64_t most_elements);

/// Runs the function on the sample. Returns "", or what is wrong: an element, a byte outside the
/// array, or a report of the simulator's checks.
std::string trouble_with(const PermuteSample& sample, const Permuter& permuter);

}  // namespace coalesce::samples
