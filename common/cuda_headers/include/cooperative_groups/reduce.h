// Reductions over the lanes of a group.
#pragma once

#include "cooperative_groups.h"

#ifdef __CUDA__
namespace cooperative_groups {

// clang-format off
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
// clang-format on

/// Combines the values of all lanes, and returns the result in every lane.
template <class Group, class T, class Operation>
__device__ T reduce(const Group& group, T value, Operation operation) {
    T result = group.shfl(value, 0);
    for (unsigned int rank = 1; rank < group.size(); ++rank) {
        result = operation(result, group.shfl(value, rank));
    }
    return result;
}

}  // namespace cooperative_groups
#endif
