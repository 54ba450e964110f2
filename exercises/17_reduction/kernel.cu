// Exercise 17_reduction -- add the elements of each row, with a warp per row.
//
// Given   a kernel in which one thread adds a whole row. It is correct, but its loads are not
//         coalesced.
// Write   a kernel in which the 32 lanes of a warp add a row together, and its launch (12 lines).
// Check   ./learn check 17          Stuck?   ./learn hint 17
#include "exercise.h"  // Launch, ceil_div

constexpr int WARPS = 8;  // warps per block

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    // TODO: let lane 0 store the sum of what all 32 lanes have added.
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
    for (int col = 0; col < cols; col++) {
        sum += in[row * cols + col];
    }
    out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 32 * WARPS)}, .block = {32 * WARPS}};
}
