// Exercise 07_vec2 -- move two floats with each load and store.
//
// Given   the kernel of lesson 05, with half as many threads across. Each has two adjacent columns.
//         `rows` and `cols` are even. The tile is accessed float by float, as before.
// Write   the bodies of both halves, with float2 for global memory (7 lines).
// Check   ./learn check 07          Stuck?   ./learn hint 07
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x * 2;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            //! [blank]
            //! // TODO: load in(row + k, col) and its right neighbour as one float2, and put both
            //! // into the tile.
            float2 v = reinterpret_cast<const float2&>(in[(row + k) * cols + col]);
            tile[threadIdx.y + k][threadIdx.x * 2 + 0] = v.x;
            tile[threadIdx.y + k][threadIdx.x * 2 + 1] = v.y;
            //! [blank]
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, two rows per lane.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 2;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            //! [blank]
            //! // TODO: take rows `row` and `row + 1` of column `col + k` out of the tile, and
            //! // store them in `out` as one float2.
            float2 v;
            v.x = tile[threadIdx.x * 2 + 0][threadIdx.y + k];
            v.y = tile[threadIdx.x * 2 + 1][threadIdx.y + k];
            reinterpret_cast<float2&>(out[(col + k) * rows + row]) = v;
            //! [blank]
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 2, BLOCK_ROWS}};
}
