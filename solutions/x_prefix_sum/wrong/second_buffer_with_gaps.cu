// expect: uninitialised-shared
// mistake: Threads that add nothing do not copy their sum to the second buffer.
// says: `t >= step` is false
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[2][1024];
    const int t = threadIdx.x;
    int from = 0;
    sums[from][t] = t < n ? in[t] : 0;
    __syncthreads();

    for (int step = 1; step < 1024; step *= 2) {
        const int to = 1 - from;
        if (t >= step) sums[to][t] = sums[from][t] + sums[from][t - step];  // here
        __syncthreads();
        from = to;
    }

    if (t < n) out[t] = sums[from][t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
