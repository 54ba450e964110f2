// expect: never-written
// mistake: Blocks of the own GPU are sent to the next one.
// says: this line changes it
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int GPUS = 4;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int tiles_down = (gridDim.y + GPUS - 1) / GPUS;
    int tiles_across = gridDim.x / GPUS;

    int tile_row = blockIdx.y;
    int gpu = tile_row / tiles_down;
    int peer = (blockIdx.x + gpu) % GPUS;
    if (peer == gpu) peer = (peer + 1) % GPUS;  // here
    int tile_col = peer * tiles_across + blockIdx.x / GPUS;

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
    return {.grid = {ceil_div(ceil_div(cols, TILE_DIM), GPUS) * GPUS, ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
