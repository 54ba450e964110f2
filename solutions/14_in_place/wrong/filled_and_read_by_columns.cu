// expect: tile-not-transposed
// mistake: Transpose the tiles when they are filled, and again when they are read.
// says: transposed twice
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float upper[TILE_DIM][TILE_DIM + 1];
    __shared__ float lower[TILE_DIM][TILE_DIM + 1];

    // The block of the tile above the diagonal handles both tiles of a pair.
    if (blockIdx.y > blockIdx.x) return;
    int row = blockIdx.y * TILE_DIM;  // the upper tile is at (row, col), the lower at (col, row)
    int col = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side)
            upper[x][y] = data[(row + y) * side + col + x];  // here
        if (col + y < side && row + x < side) lower[x][y] = data[(col + y) * side + row + x];
    }

    __syncthreads();

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) data[(row + y) * side + col + x] = lower[x][y];
        if (col + y < side && row + x < side && row != col) {
            data[(col + y) * side + row + x] = upper[x][y];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
