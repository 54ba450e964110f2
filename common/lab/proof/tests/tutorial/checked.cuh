/// \file
/// Helper functions for the examples of the second and third sets.
#pragma once

#include <cuda_fp16.h>

#include "tutorial.h"

namespace tutorial {

/// Makes an example whose output is compared with `expected(i)` at up to `samples` indices.
template <class T, class F>
Example checked(std::function<void()> launch, const Buffer<T>& out, F expected,
                double tolerance = 0, std::size_t samples = 1 << 15) {
    return {std::move(launch), [=] { return compare(out, expected, tolerance, samples); }};
}

/// Makes an example of a kernel that changes `data`. `data` is restored before each launch.
template <class T, class F>
Example in_place(std::function<void()> launch, const Buffer<T>& data, F expected,
                 double tolerance = 0, std::size_t samples = 1 << 15) {
    return {std::move(launch), [=] { return compare(data, expected, tolerance, samples); },
            [=] { data.restore(); }};
}

/// Returns pseudorandom halves that are multiples of 1/16 from 0 to 1, so that short sums of them
/// are exact.
inline Buffer<__half> halves(std::size_t n, std::uint32_t seed = 1) {
    return filled(n, [=](std::size_t i) {
        return __float2half(static_cast<float>(noise(i, seed) % 16) / 16.0f);
    });
}
inline double value_of(__half value) {
    return static_cast<double>(__half2float(value));
}

/// Returns the index of the calling thread in a one-dimensional grid.
__device__ inline int thread_in_grid() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

/// Returns the sum of `value` over all lanes of the warp, in every lane.
template <class T>
__device__ T warp_sum(T value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    return value;
}

}  // namespace tutorial
