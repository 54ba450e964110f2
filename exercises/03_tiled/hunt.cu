// Bug hunt 03_tiled -- a colleague's tiled transpose, which handles the edges of the matrix first.
//
// Seen    The result was correct for 256 x 256, 1024 x 512 and 32768 x 32768.
// Fix     the bug, and change as little as you can (about 6 lines).
// Check   ./learn check 03 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row >= rows || col >= cols) {
        return;
    }
    tile[threadIdx.y][threadIdx.x] = in[row * cols + col];

    __syncthreads();

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
