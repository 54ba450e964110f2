// expect: never-written
// mistake: The width of the grid is not a multiple of the GPUs.
// says: not a multiple of 4
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int GPUS = 4;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // how many tiles each GPU has
    int down = (gridDim.y + GPUS - 1) / GPUS;
    int across = gridDim.x / GPUS;

    int rank = blockIdx.y / down;
    int to = (rank + blockIdx.x) % GPUS;
    int tile_row = blockIdx.y;
    int tile_col = to * across + blockIdx.x / GPUS;

    int left = tile_col * TILE_DIM, top = tile_row * TILE_DIM;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        int r = top + y, c = left + threadIdx.x;
        if (r < rows && c < cols) tile[y][threadIdx.x] = in[r * cols + c];
    }

    __syncthreads();

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        int r = left + y, c = top + threadIdx.x;
        if (r < cols && c < rows) out[r * rows + c] = tile[threadIdx.x][y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},  // here
            .block = {TILE_DIM, BLOCK_ROWS}};
}
