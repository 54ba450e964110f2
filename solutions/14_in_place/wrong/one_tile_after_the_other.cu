// expect: half-exchanged
// mistake: Store one tile of a pair before the other is loaded.
// says: loads only afterwards
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // The block of the tile above the diagonal handles both tiles of a pair.
    if (blockIdx.y > blockIdx.x) return;
    int row = blockIdx.y * TILE_DIM;  // the upper tile is at (row, col), the lower at (col, row)
    int col = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;

    // the upper tile goes to (col, row)
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

    // the lower tile goes to (row, col)
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
