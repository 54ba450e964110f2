// expect: wrong-elements
// mistake: The sequences end at the last power of two below n.
// says: the last `size` of this loop is 64
#include "exercise.h"

__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    const int t = threadIdx.x;
    value[t] = t < n ? data[t] : 2147483647;
    __syncthreads();

    for (int size = 2; size <= n; size *= 2) {  // here
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

    if (t < n) data[t] = value[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
