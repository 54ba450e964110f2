// Exercise x_prefix_sum -- compute, for each element, the sum of all elements up to it.
//
// Given   the elements in shared memory, followed by zeros.
// Write   the steps. Each step doubles the number of elements in a sum (6 lines).
// Check   ./learn check x_prefix_sum          Stuck?   ./learn hint x_prefix_sum
#include "exercise.h"  // Launch, ceil_div

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[1024];
    const int t = threadIdx.x;
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();

    // TODO: add up in steps 1, 2, 4, ..., so that sums[t] is the sum of elements 0 to t.

    if (t < n) out[t] = sums[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
