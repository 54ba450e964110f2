// expect: race-between-blocks
// mistake: Every lane stores its sum.
// says: only lane 0 has the sum
#include "exercise.h"  // Launch, ceil_div

constexpr int WARPS = 8;  // warps per block

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * WARPS + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    // In each iteration, the lanes read 32 neighbouring elements.
    float sum = 0;
    for (int col = lane; col < cols; col += 32) {
        sum += in[row * cols + col];
    }

    // Each step adds the sums of the upper lanes to those of the lower lanes.
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    out[row] = sum;  // here
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, WARPS)}, .block = {32, WARPS}};
}
