// expect: edge-wrong
// mistake: Add only the total of the warp before.
// says: alone, but the third
#include "exercise.h"  // Launch, ceil_div

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int totals[32];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;

    // Prefix sums within each warp.
    int sum = t < n ? in[t] : 0;
    for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(0xffffffff, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == 31) totals[warp] = sum;
    __syncthreads();

    // Add what comes before this warp.
    if (warp > 0) sum += totals[warp - 1];  // here

    if (t < n) out[t] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
