// Exercise x_sort -- sort up to 1024 numbers with one block.
//
// Given   the numbers in shared memory, followed by copies of the largest int.
// Write   the sorting network: swap pairs `stride` apart, in sequences of `size` (12 lines).
// Check   ./learn check x_sort          Stuck?   ./learn hint x_sort
#include "exercise.h"  // Launch, ceil_div

__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    const int t = threadIdx.x;
    value[t] = t < n ? data[t] : 2147483647;
    __syncthreads();

    // TODO: sort `value`, in ascending order.

    if (t < n) data[t] = value[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
