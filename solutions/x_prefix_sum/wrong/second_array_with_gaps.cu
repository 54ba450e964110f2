// expect: uninitialised-shared
// mistake: Write only some elements of the second array, and copy all of them back.
// says: store nothing in `next`
#include "exercise.h"  // Launch, ceil_div

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[1024], next[1024];
    const int t = threadIdx.x;
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();

    // Write to a second array, so that nobody overwrites what others still read.
    for (int step = 1; step < 1024; step *= 2) {
        if (t >= step) next[t] = sums[t] + sums[t - step];  // here
        __syncthreads();
        sums[t] = next[t];
        __syncthreads();
    }

    if (t < n) out[t] = sums[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
