// expect: race-between-blocks | uninitialised-read
// mistake: Every lane adds its part to the output, without an atomic operation.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int col = lane; col < cols; col += 32) sum += in[row * cols + col];
    out[row] += sum;  // here
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
