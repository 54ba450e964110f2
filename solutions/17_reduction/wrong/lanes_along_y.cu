// expect: wrong-elements
// mistake: threadIdx.y counts the lanes.
// says: is threadIdx.y
#include "exercise.h"  // Launch, ceil_div

constexpr int WARPS = 8;  // warps per block

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int lane = threadIdx.y, warp = threadIdx.x;  // here
    int row = blockIdx.x * WARPS + warp;
    if (row >= rows) return;

    float sum = 0;
    for (int col = lane; col < cols; col += 32) {
        sum += in[row * cols + col];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, WARPS)}, .block = {WARPS, 32}};
}
