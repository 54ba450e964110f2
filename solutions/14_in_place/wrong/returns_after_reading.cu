// expect: race-between-blocks
// mistake: Let the second block of a pair load the tiles before it returns.
// says: one reads or stores what the other overwrites
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;

__global__ void transpose_in_place(float* data, const float*, int side, int) {  // here
    __shared__ float upper[TILE_DIM][TILE_DIM + 1];
    __shared__ float lower[TILE_DIM][TILE_DIM + 1];

    const int row = blockIdx.y * TILE_DIM;
    const int col = blockIdx.x * TILE_DIM;
    const int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) upper[y][x] = data[(row + y) * side + col + x];
        if (col + y < side && row + x < side) lower[y][x] = data[(col + y) * side + row + x];
    }

    __syncthreads();

    const bool is_upper = row < col, is_diagonal = row == col;
    if (is_upper || is_diagonal) {
        for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
            if (row + y < side && col + x < side) data[(row + y) * side + col + x] = lower[x][y];
            if (is_upper && col + y < side && row + x < side) {
                data[(col + y) * side + row + x] = upper[x][y];
            }
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
