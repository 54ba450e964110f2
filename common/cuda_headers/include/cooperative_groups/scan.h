// Prefix sums and similar scans over the lanes of a group, in the order of their ranks.
#pragma once

#include "cooperative_groups/reduce.h"

#ifdef __CUDA__
namespace cooperative_groups {

/// Returns the combined value of this lane and all lower-ranked lanes (an inclusive scan).
template <class Group, class T, class Operation = plus<T>>
__device__ T inclusive_scan(const Group& group, T value, Operation operation = {}) {
    T result = group.shfl(value, 0);
    for (unsigned int rank = 1; rank < group.size(); ++rank) {
        const T next = group.shfl(value, rank);
        if (rank <= group.thread_rank()) result = operation(result, next);
    }
    return result;
}

/// Returns the combined value of all lower-ranked lanes (an exclusive scan). For the first lane,
/// returns T().
template <class Group, class T, class Operation = plus<T>>
__device__ T exclusive_scan(const Group& group, T value, Operation operation = {}) {
    const T until = inclusive_scan(group, value, operation);
    const T before = group.shfl_up(until, 1);
    return group.thread_rank() == 0 ? T() : before;
}

}  // namespace cooperative_groups
#endif
