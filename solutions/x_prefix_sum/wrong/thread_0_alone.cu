// expect: too-many-requests
// mistake: Let thread 0 add all elements.
// says: single thread executes this loop
#include "exercise.h"  // Launch, ceil_div

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[1024];
    const int t = threadIdx.x;
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();

    if (t == 0) {
        for (int i = 1; i < n; ++i) sums[i] += sums[i - 1];  // here
    }
    __syncthreads();

    if (t < n) out[t] = sums[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
