// Bug hunt 07_vec2 -- a colleague's float2 transpose, which uses float2 for the tile as well.
//
// Seen    The kernel compiles without a warning, and it runs if its tile has no padding.
// Fix     the bug, keep the padding, and change as little as you can (about 2 lines).
// Check   ./learn check 07 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x * 2;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            float2 v = reinterpret_cast<const float2&>(in[(row + k) * cols + col]);
            reinterpret_cast<float2&>(tile[threadIdx.y + k][threadIdx.x * 2]) = v;
        }
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 2;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            float2 v;
            v.x = tile[threadIdx.x * 2 + 0][threadIdx.y + k];
            v.y = tile[threadIdx.x * 2 + 1][threadIdx.y + k];
            reinterpret_cast<float2&>(out[(col + k) * rows + row]) = v;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 2, BLOCK_ROWS}};
}
