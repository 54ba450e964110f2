// expect: inputs-repeated
// mistake: The sum of the own warp is added to the elements of this warp.
// says: too large by the sum of its own group of 32 elements
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int totals[32];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int sum = t < n ? in[t] : 0;
    for (int by = 1; by < 32; by <<= 1) {
        const int left = __shfl_up_sync(0xffffffff, sum, by);
        if (lane >= by) sum += left;
    }
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    for (int other = warp; other >= 0; --other) sum += totals[other];
    if (t < n) out[t] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
