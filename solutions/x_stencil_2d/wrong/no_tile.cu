// expect: too-many-requests | work-repeated
// mistake: each thread reads its six elements from global memory
#include "exercise.h"

__device__ float pixel(const float* in, int rows, int cols, int row, int col) {
    return row >= 0 && row < rows && col >= 0 && col < cols ? in[row * cols + col] : 0;
}

__device__ float sum(const float* in, int rows, int cols, int row, int col) {
    return pixel(in, rows, cols, row, col - 1) + 2 * pixel(in, rows, cols, row, col) +
           pixel(in, rows, cols, row, col + 1);
}

__global__ void stencil_2d(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= rows || col >= cols) return;
    out[row * cols + col] = sum(in, rows, cols, row + 1, col) - sum(in, rows, cols, row - 1, col);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 16)}, .block = {32, 16}};
}
