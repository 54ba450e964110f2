/// \file
/// Arrays with known results, for testing `coalesce::permute` and deliberately wrong versions of
/// it.
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
    std::int64_t in_offset = 0, out_offset = 0;  ///< elements before the array in its allocation

    /// Returns a description that is sufficient to repeat the call, such as "(2 3 4) to (0 2 1) of
    /// 4 bytes, offsets 0 and 1".
    std::string name() const;
    std::int64_t count() const;  ///< the number of elements
};

/// A function that is tested like `permute`.
using Permuter =
    std::function<cudaError_t(void* out, const void* in, const PermuteSample&, cudaStream_t)>;

/// Calls `coalesce::permute`.
cudaError_t permute(void* out, const void* in, const PermuteSample& sample, cudaStream_t stream);

/// Returns a random sample with 0 to 6 axes and about `most_elements` elements at most. An axis of
/// any length, including 0 and 1, may be in any position. The arrays may have any offset.
PermuteSample random_permute_sample(std::mt19937_64& random, std::int64_t most_elements);

/// Runs the function on the sample. Returns the first error, or "" if there is none. An error is an
/// error code, a wrong element, a change of the input or of bytes before the output, or a report of
/// the simulator's checks.
std::string find_error(const PermuteSample& sample, const Permuter& permuter);

}  // namespace coalesce::samples
