// expect: half-exchanged
// mistake: One array for both tiles of a pair.
// says: all cells below the diagonal are right
// never: only the cells
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    if (blockIdx.y > blockIdx.x) return;
    int row = blockIdx.y * TILE_DIM;
    int col = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;

    // the upper tile goes to the place of the lower one
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) tile[y][x] = data[(row + y) * side + col + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (col + y < side && row + x < side)
            data[(col + y) * side + row + x] = tile[x][y];  // here
    }
    if (row == col) return;
    __syncthreads();

    // and the lower one to the place of the upper one
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (col + y < side && row + x < side) tile[y][x] = data[(col + y) * side + row + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) data[(row + y) * side + col + x] = tile[x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
