// expect: divergent-barrier
// mistake: Put the barrier into the branch of lane 0.
// of: the bug hunt
// says: not every thread
#include "exercise.h"  // Launch, ceil_div

constexpr int WARPS = 8;  // warps per block

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    __shared__ float sums[WARPS];
    int row = blockIdx.x;
    int warp = threadIdx.y;
    int lane = threadIdx.x;

    float sum = 0;
    for (int col = warp * 32 + lane; col < cols; col += 32 * WARPS) {
        sum += in[row * cols + col];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) {
        sums[warp] = sum;
        __syncthreads();  // here
    }

    // The first warp adds the sums of all warps.
    if (warp == 0) {
        sum = lane < WARPS ? sums[lane] : 0;
        for (int offset = WARPS / 2; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        }
        if (lane == 0) out[row] = sum;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {unsigned(rows)}, .block = {32, WARPS}};
}
