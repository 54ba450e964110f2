// Exercise 05_coarsened -- move four elements per thread.
//
// Given   the kernel of lesson 04, launched with 32 x 8 threads for each tile of 32 x 32.
// Write   a loop around each half of the kernel (10 lines).
// Check   ./learn check 05          Stuck?   ./learn hint 05
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    //! [blank]
    //! // TODO: this reads the first BLOCK_ROWS rows of the tile. Read the other rows too.
    //! if (row < rows && col < cols) {
    //!     tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    //! }
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }
    //! [blank]

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    //! [blank]
    //! // TODO: this writes the first BLOCK_ROWS columns of the tile. Write the other columns too.
    //! if (row < rows && col < cols) {
    //!     out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
    //! }
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
    //! [blank]
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
