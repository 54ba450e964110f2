// Exercise 03_tiled -- transpose through a tile in shared memory.
//
// Given   a block of 32 x 32 threads for every tile, and the code that fills the tile row by row.
// Write   the rest of the kernel, which stores the tile to `out` (6 lines).
// Check   ./learn check 03          Stuck?   ./learn hint 03
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }

    //! [blank]
    //! // TODO: wait until the whole tile is filled.
    __syncthreads();
    //! [blank]

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
    //! [blank]
    //! // TODO: compute `col` and `row` again, so that neighbouring threads have neighbouring rows.
    //! // If (row, col) is inside `in`, store that element of the tile where it belongs in `out`.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
    //! [blank]
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
