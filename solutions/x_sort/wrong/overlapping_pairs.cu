// expect: missing-barrier | shared-race
// mistake: Every thread handles a pair, so the pairs overlap.
// says: both handle `value[
// never: __syncthreads
#include "exercise.h"

__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    const int t = threadIdx.x;
    value[t] = t < n ? data[t] : 2147483647;
    __syncthreads();

    for (int size = 2; size <= 1024; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            int other = t + stride;
            if (other < 1024) {
                bool up = (t & size) == 0;
                int a = value[t], b = value[other];
                if (up ? a > b : a < b) {
                    value[t] = b;  // here
                    value[other] = a;
                }
            }
            __syncthreads();
        }
    }

    if (t < n) data[t] = value[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
