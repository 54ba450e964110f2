/// \file
/// The work of one launch of `permute`: the axes of `out`, and the positions of their elements in
/// `in`.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "fastest.cuh"
#include "launch.cuh"
#include "vectors.cuh"

namespace coalesce {

/// The maximum number of axes of an array.
constexpr int max_axes = 6;

namespace permuting {

using transposing::divide_rounding_up;
using transposing::Element;
using transposing::is_aligned_to;
using transposing::launch_kernel;
using transposing::LaunchQueue;
using transposing::Vector;

/// The maximum number of axes of a plan. If an element is split into units, the units form an
/// additional axis.
constexpr int max_plan_axes = max_axes + 1;

/// An axis of `out`: its number of elements, and the distance in `in` between elements that are
/// neighbours along the axis.
struct Axis {
    std::int64_t size, step;
    // Division by `size` is replaced with a multiplication. For numbers below 2^31, the quotient is
    // the upper half of number * multiplier, shifted right by `quotient_shift`.
    unsigned quotient_multiplier;
    int quotient_shift;
};

/// The work of one launch, which writes all of `out` in order. The outermost axis is the first in
/// the list.
struct PermutePlan {
    void* out;
    const void* in;
    std::int64_t unit_bytes;  ///< the bytes that are moved together: 1, 2, 4, 8 or 16
    std::int64_t unit_count;  ///< the number of units
    int axes;
    Axis axis[max_plan_axes];
};

__device__ inline unsigned quotient(unsigned number, const Axis& axis) {
    return __umulhi(number, axis.quotient_multiplier) >> axis.quotient_shift;
}
__device__ inline std::uint64_t quotient(std::uint64_t number, const Axis& axis) {
    return number / static_cast<std::uint64_t>(axis.size);
}

/// Finds the positions in `in` of units of `out`. `out_index` contains the indices of the units in
/// `out`, and is overwritten. Considers only the first `axes` axes of the plan.
template <int COUNT, class Index, class Offset>
__device__ inline void find_offsets(Offset (&in_offset)[COUNT], Index (&out_index)[COUNT],
                                    const PermutePlan& plan, int axes) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) in_offset[i] = 0;
    for (int k = axes - 1; k > 0; --k) {
        const Axis& axis = plan.axis[k];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const Index outer_index = quotient(out_index[i], axis);
            const Index inner_index = out_index[i] - outer_index * static_cast<Index>(axis.size);
            in_offset[i] += inner_index * static_cast<Offset>(axis.step);
            out_index[i] = outer_index;
        }
    }
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
        in_offset[i] += out_index[i] * static_cast<Offset>(plan.axis[0].step);
}

}  // namespace permuting

}  // namespace coalesce
