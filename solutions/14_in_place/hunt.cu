// Bug hunt 14_in_place -- a colleague's transpose in place, which leaves the diagonal alone.
//
// Seen    The result is correct for a matrix of 1 x 1, and for most elements of any other matrix.
// Fix     the bug, and change as little as you can (about 1 line).
// Check   ./learn check 14 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float upper[TILE_DIM][TILE_DIM + 1];
    __shared__ float lower[TILE_DIM][TILE_DIM + 1];

    // The elements on the diagonal stay where they are.
    //! [blank]
    //! if (blockIdx.y >= blockIdx.x) return;
    if (blockIdx.y > blockIdx.x) return;
    //! [blank]
    int row = blockIdx.y * TILE_DIM;
    int col = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) upper[y][x] = data[(row + y) * side + col + x];
        if (col + y < side && row + x < side) lower[y][x] = data[(col + y) * side + row + x];
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
