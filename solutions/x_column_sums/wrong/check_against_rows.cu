// expect: never-written | grid-too-small | no-bounds-check | out-of-bounds
// mistake: The column is compared with the number of rows.
#include "exercise.h"

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= rows) return;
    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
    out[col] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64)}, .block = {64}};
}
