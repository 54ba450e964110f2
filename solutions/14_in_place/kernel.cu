// Exercise 14_in_place -- transpose a square matrix in its own memory.
//
// Given   a block for every tile; the block of the upper tile reads both tiles of a pair. The
//         matrix is in `data` before and after the launch, and there is no second matrix.
// Write   the check that lets only one block of a pair work, and what follows the loads (8 lines).
// Check   ./learn check 14          Stuck?   ./learn hint 14
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float upper[TILE_DIM][TILE_DIM + 1];
    __shared__ float lower[TILE_DIM][TILE_DIM + 1];

    // The block of the tile above the diagonal handles both tiles of a pair.
    //! [blank]
    //! // TODO: return at once if this block's tile is below the diagonal.
    if (blockIdx.y > blockIdx.x) return;
    //! [blank]
    int row = blockIdx.y * TILE_DIM;  // the upper tile is at (row, col), the lower at (col, row)
    int col = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) upper[y][x] = data[(row + y) * side + col + x];
        if (col + y < side && row + x < side) lower[y][x] = data[(col + y) * side + row + x];
    }

    //! [blank]
    //! // TODO: wait until both tiles have been read.
    __syncthreads();
    //! [blank]

    //! [blank]
    //! // TODO: store the lower tile, transposed, where the upper one was, and the upper one,
    //! // transposed, where the lower one was. On the diagonal they are the same tile: store it once.
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) data[(row + y) * side + col + x] = lower[x][y];
        // On the diagonal, `upper` and `lower` are the same tile, which has already been stored.
        if (col + y < side && row + x < side && row != col) {
            data[(col + y) * side + row + x] = upper[x][y];
        }
    }
    //! [blank]
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
