/// \file
/// Short forms for the examples of the second and the third set.
#pragma once

#include <cuda_fp16.h>

#include "tutorial.h"

namespace tutorial {

/// Makes an example whose output is compared with `expected(i)` in up to `samples` places.
template <class T, class F>
Example checked(std::function<void()> launch, const Buffer<T>& out, F expected,
                double tolerance = 0, std::size_t samples = 1 << 15) {
    return {std::move(launch), [=] { return compare(out, expected, tolerance, samples); }};
}

/// The same for a kernel that changes `data`, which is restored before each launch.
template <class T, class F>
Example in_place(std::function<void()> launch, const Buffer<T>& data, F expected,
                 double tolerance = 0, std::size_t samples = 1 << 15) {
    return {std::move(launch), [=] { return compare(data, expected, tolerance, samples); },
            [=] { data.restore(); }};
}

/// Makes pseudorandom halves that are multiples of 1/16 from 0 to 1, so that short sums of them are exact.
inline Buffer<__half> halves(std::size_t n, std::uint32_t seed = 1) {
    return filled(n, [=](std::size_t i) {
        return __float2half(static_cast<float>(noise(i, seed) % 16) / 16.0f);
    });
}
inline double value_of(__half value) {
    return static_cast<double>(__half2float(value));
}

/// The number of this thread in a grid of one dimension.
__device__ inline int thread_in_grid() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

/// Adds up a value of all lanes of a warp, for all of them.
template <class T>
__device__ T warp_sum(T value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    return value;
}

}  // namespace tutorial
