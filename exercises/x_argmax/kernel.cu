// Exercise x_argmax -- find the largest element of each row, and the first column that contains it.
//
// Given   the largest of each lane's own elements, and its column.
// Write   the code that combines the results of the 32 lanes (8 lines).
// Check   ./learn check x_argmax          Stuck?   ./learn hint x_argmax
#include "exercise.h"  // Launch, ceil_div

__global__ void argmax(int* index, int* value, const int* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    int best = -2147483647 - 1, at = cols;
    for (int col = lane; col < cols; col += 32) {
        if (in[row * cols + col] > best) {
            best = in[row * cols + col];
            at = col;
        }
    }

    // TODO: combine the lanes. Lane 0 must get the largest element in `best`, its column in `at`.

    if (lane == 0) {
        index[row] = at;
        value[row] = best;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
