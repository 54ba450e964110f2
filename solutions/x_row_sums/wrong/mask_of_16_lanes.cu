// expect: bad-warp-mask
// mistake: Name only the first 16 lanes in the mask.
// says: does not name all lanes
#include "exercise.h"  // Launch, ceil_div

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float sum = 0;

    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffff, sum, offset);  // here
    }

    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
