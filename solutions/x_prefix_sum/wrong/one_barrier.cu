// expect: missing-barrier
// mistake: Threads overwrite elements that other threads have not yet read.
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[1024];
    const int t = threadIdx.x;
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int step = 1; step < 1024; step *= 2) {
        if (t >= step) sums[t] += sums[t - step];
        __syncthreads();
    }
    if (t < n) out[t] = sums[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
