// expect: uninitialised-shared
// mistake: The four corners of the tile are never filled.
#include "exercise.h"

constexpr int BLOCK_X = 32, BLOCK_Y = 16, TILE_X = BLOCK_X + 2, TILE_Y = BLOCK_Y + 2;

__device__ float pixel(const float* in, int rows, int cols, int row, int col) {
    return row >= 0 && row < rows && col >= 0 && col < cols ? in[row * cols + col] : 0;
}

__global__ void stencil_2d(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_Y][TILE_X];
    const int first_row = blockIdx.y * BLOCK_Y, first_col = blockIdx.x * BLOCK_X;
    const int row = first_row + threadIdx.y, col = first_col + threadIdx.x;
    const int y = threadIdx.y + 1, x = threadIdx.x + 1;
    tile[y][x] = pixel(in, rows, cols, row, col);
    if (threadIdx.y == 0) tile[0][x] = pixel(in, rows, cols, row - 1, col);
    if (threadIdx.y == 1) tile[TILE_Y - 1][x] = pixel(in, rows, cols, first_row + BLOCK_Y, col);
    if (threadIdx.x < 2) {
        const int side = threadIdx.x * (TILE_X - 1);
        tile[y][side] = pixel(in, rows, cols, row, first_col + side - 1);
    }
    __syncthreads();
    if (row >= rows || col >= cols) return;
    const float* above = &tile[threadIdx.y][threadIdx.x];
    const float* below = &tile[threadIdx.y + 2][threadIdx.x];
    out[row * cols + col] =
        below[0] + 2 * below[1] + below[2] - (above[0] + 2 * above[1] + above[2]);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, BLOCK_X), ceil_div(rows, BLOCK_Y)},
            .block = {BLOCK_X, BLOCK_Y}};
}
