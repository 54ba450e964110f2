// expect: inputs-left-out
// mistake: Only the sum of the previous warp is added, not the sums of all earlier warps.
// says: out(64) does not depend on in[0] to in[31]
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int totals[32];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int sum = t < n ? in[t] : 0;
    for (int by = 1; by < 32; by *= 2) {
        const int left = __shfl_up_sync(0xffffffff, sum, by);
        if (lane >= by) sum += left;
    }
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    if (warp > 0) sum += totals[warp - 1];
    if (t < n) out[t] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
