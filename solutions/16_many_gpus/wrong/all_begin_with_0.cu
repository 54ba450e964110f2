// expect: wrong-block-order
// mistake: All GPUs begin with GPU 0.
// says: all of them begin with GPU 0
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int GPUS = 4;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // The number of tiles per GPU, down its rows and across its columns.
    int tiles_down = (gridDim.y + GPUS - 1) / GPUS;
    int tiles_across = gridDim.x / GPUS;

    int tile_row = blockIdx.y;
    int gpu = tile_row / tiles_down;
    int peer = blockIdx.x % GPUS;  // here
    int tile_col = peer * tiles_across + blockIdx.x / GPUS;

    int col = tile_col * TILE_DIM + threadIdx.x;
    int row = tile_row * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of the peer's `out`.
    col = tile_col * TILE_DIM + threadIdx.y;
    row = tile_row * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

// Every GPU gets as many blocks across as the GPU with the most tiles needs.
constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(ceil_div(cols, TILE_DIM), GPUS) * GPUS, ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
