// expect: uninitialised-read
// mistake: Every lane adds to the output, which contains no zero at first.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
    for (int col = lane; col < cols; col += 32) {
        sum += in[row * cols + col];
    }
    atomicAdd(&out[row], sum);  // here
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
