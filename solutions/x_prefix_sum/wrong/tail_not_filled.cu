// expect: uninitialised-shared
// mistake: The positions after the last element are never filled.
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[1024];
    const int t = threadIdx.x;
    if (t < n) sums[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 1024; step *= 2) {
        const int before = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    if (t < n) out[t] = sums[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
