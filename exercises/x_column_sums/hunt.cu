// Bug hunt x_column_sums -- this sum is correct only for square matrices.
//
// Seen    The result was correct for 1 x 1 and 32 x 32.
// Fix     the index (1 line).
// Check   ./learn check x_column_sums --hunt
#include "exercise.h"  // Launch, ceil_div

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += in[row * rows + col];
    out[col] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64)}, .block = {64}};
}
