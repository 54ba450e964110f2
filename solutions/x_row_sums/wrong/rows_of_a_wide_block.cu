// expect: never-written
// mistake: The first row of a block is computed with the size of the block along x.
// says: multiplies by the size of the block along x
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.y, lane = threadIdx.x;  // here
    if (row >= rows) return;
    float sum = 0;
    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
    for (int by = 16; by > 0; by /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, by);
    }
    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
