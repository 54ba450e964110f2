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

    //! [blank]
    //! // TODO: sort `value`, in ascending order.
    for (int size = 2; size <= 1024; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int partner = t ^ stride;
            const bool is_ascending = (t & size) == 0;
            if (partner > t && (value[t] > value[partner]) == is_ascending) {
                const int other = value[t];
                value[t] = value[partner];
                value[partner] = other;
            }
            __syncthreads();
        }
    }
    //! [blank]

    if (t < n) data[t] = value[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
