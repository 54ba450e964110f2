// Exercise 08_vec4 -- move four floats with each load and store.
//
// Given   the kernel of lesson 07, prepared for float4. `rows` and `cols` are multiples of 4.
// Write   the first column and row of a thread, and the bodies of both halves (13 lines).
// Check   ./learn check 08          Stuck?   ./learn hint 08
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    //! [blank]
    //! // TODO: 8 threads share a row of the tile. Which column is the first of this thread's four?
    //! int col = cols;
    int col = blockIdx.x * TILE_DIM + threadIdx.x * 4;
    //! [blank]
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            //! [blank]
            //! // TODO: load the float4 at in(row + k, col), and put its floats into the tile.
            float4 v = reinterpret_cast<const float4&>(in[(row + k) * cols + col]);
            tile[threadIdx.y + k][threadIdx.x * 4 + 0] = v.x;
            tile[threadIdx.y + k][threadIdx.x * 4 + 1] = v.y;
            tile[threadIdx.y + k][threadIdx.x * 4 + 2] = v.z;
            tile[threadIdx.y + k][threadIdx.x * 4 + 3] = v.w;
            //! [blank]
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, four rows per lane.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    //! [blank]
    //! // TODO: which row is the first of this thread's four?
    //! row = rows;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 4;
    //! [blank]
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            //! [blank]
            //! // TODO: take rows `row` to `row + 3` of column `col + k` out of the tile, and
            //! // store them in `out` as one float4.
            float4 v;
            v.x = tile[threadIdx.x * 4 + 0][threadIdx.y + k];
            v.y = tile[threadIdx.x * 4 + 1][threadIdx.y + k];
            v.z = tile[threadIdx.x * 4 + 2][threadIdx.y + k];
            v.w = tile[threadIdx.x * 4 + 3][threadIdx.y + k];
            reinterpret_cast<float4&>(out[(col + k) * rows + row]) = v;
            //! [blank]
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 4, BLOCK_ROWS}};
}
