// Bug hunt x_prefix_sum -- this prefix sum depends on which warp is faster.
//
// Seen    The result is correct for up to 32 elements.
// Fix     the bug (about 3 lines).
// Check   ./learn check x_prefix_sum --hunt
#include "exercise.h"  // Launch, ceil_div

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[1024];
    const int t = threadIdx.x;
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int step = 1; step < 1024; step *= 2) {
        //! [blank]
        //! if (t >= step) sums[t] += sums[t - step];
        const int before = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += before;
        //! [blank]
        __syncthreads();
    }
    if (t < n) out[t] = sums[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
