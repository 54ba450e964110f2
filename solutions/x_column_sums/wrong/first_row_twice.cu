// expect: inputs-repeated
// mistake: The sum begins with the first row, and the loop adds this row again.
#include "exercise.h"

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    float sum = in[col];
    for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
    out[col] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64)}, .block = {64}};
}
