// Exercise 04_padded -- remove the bank conflicts.
//
// Given   the kernel of lesson 03. It is correct, but each column of its tile is in a single bank.
// Write   a declaration of the tile that spreads each column over 32 different banks (1 line).
// Check   ./learn check 04          Stuck?   ./learn hint 04
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    // TODO: element (r, c) of this tile is in bank (32 r + c) mod 32. Change that.
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}
