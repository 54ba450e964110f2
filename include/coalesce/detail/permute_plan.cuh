/// \file
/// The work of one launch of `permute`: the axes of `out`, and where their elements lie in `in`.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "fastest.cuh"
#include "launch.cuh"
#include "vectors.cuh"

namespace coalesce {

/// The most axes of an array.
constexpr int most_axes = 6;

namespace permuting {

using transposing::Element;
using transposing::is_at;
using transposing::launch_kernel;
using transposing::pieces_of;
using transposing::Vector;

/// Elements whose size is not a power of two have an axis of their own.
constexpr int most_steps = most_axes + 1;

/// An axis of `out`: how many elements, and how far it is in `in` from one to the next.
struct Axis {
    std::int64_t size, step;
    // For numbers below 2^31, number / size is the upper half of number * multiplier, shifted.
    unsigned multiplier;
    int shift;
};

/// What is to be moved: all of `out`, in its own order. The outermost axis comes first.
struct Plan {
    void* out;
    const void* in;
    std::int64_t unit;   ///< bytes that stay together: 1, 2, 4, 8 or 16
    std::int64_t count;  ///< units
    int axes;
    Axis axis[most_steps];
};

__device__ inline unsigned quotient(unsigned number, const Axis& axis) {
    return __umulhi(number, axis.multiplier) >> axis.shift;
}
__device__ inline std::uint64_t quotient(std::uint64_t number, const Axis& axis) {
    return number / static_cast<std::uint64_t>(axis.size);
}

/// Where in `in` those units lie that have these numbers in `out`, of the first `axes` axes.
template <int COUNT, class Index, class Offset>
__device__ inline void find(Offset (&from)[COUNT], Index (&number)[COUNT], const Plan& plan,
                            int axes) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) from[i] = 0;
    for (int k = axes - 1; k > 0; --k) {
        const Axis& axis = plan.axis[k];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const Index outer = quotient(number[i], axis);
            const Index inner = number[i] - outer * static_cast<Index>(axis.size);
            from[i] += inner * static_cast<Offset>(axis.step);
            number[i] = outer;
        }
    }
#pragma unroll
    for (int i = 0; i < COUNT; ++i) from[i] += number[i] * static_cast<Offset>(plan.axis[0].step);
}

}  // namespace permuting

}  // namespace coalesce
