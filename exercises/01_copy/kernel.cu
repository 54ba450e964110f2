// Exercise 01_copy -- copy a matrix, tile by tile.
//
// Given   a block of 32 x 8 threads for every tile of 32 x 32. Each thread moves 4 elements: it
//         first loads all of them, and then stores them.
// Write   the bodies of both loops, and nothing else (6 lines).
// Check   ./learn check 01          Stuck?   ./learn hint 01
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float values[TILE_DIM / BLOCK_ROWS];
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        // TODO: if (row + k, col) is inside `in`, load it into values[k / BLOCK_ROWS].
    }

    // All loads are in flight before the first store needs its value.
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        // TODO: if (row + k, col) is inside, store it at the same place in `out`.
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
