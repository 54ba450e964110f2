// Exercise x_column_sums -- add the elements of each column, with a thread for each column.
//
// Given   the column of each thread.
// Write   the sum (3 lines).
// Check   ./learn check x_column_sums          Stuck?   ./learn hint x_column_sums
#include "exercise.h"  // Launch, ceil_div

__global__ void column_sums(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;

    // TODO: add the elements of this column, and store the sum.
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 64)}, .block = {64}};
}
