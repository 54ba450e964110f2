// Bug hunt 04_padded -- a colleague's padded transpose.
//
// Seen    The result is always correct. The tile is padded, "so it has no bank conflicts".
// Fix     the bug, and change as little as you can (1 line).
// Check   ./learn check 04 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32;
constexpr int PADDING = 1;  // one column, to avoid bank conflicts

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + PADDING][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }

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
