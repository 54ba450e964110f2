// expect: uninitialised-shared
// mistake: Outside of the matrix, nothing is stored in the tile.
// says: have no value when
#include "exercise.h"

constexpr int BLOCK_X = 32, BLOCK_Y = 16, TILE_X = BLOCK_X + 2, TILE_Y = BLOCK_Y + 2;

__global__ void stencil_2d(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_Y][TILE_X];
    const int first_row = blockIdx.y * BLOCK_Y, first_col = blockIdx.x * BLOCK_X;

    for (int y = threadIdx.y; y < TILE_Y; y += BLOCK_Y) {
        const int r = first_row + y - 1;
        for (int x = threadIdx.x; x < TILE_X; x += BLOCK_X) {
            const int c = first_col + x - 1;
            if (r < 0 || c < 0 || r >= rows || c >= cols) continue;  // here
            tile[y][x] = in[r * cols + c];
        }
    }
    __syncthreads();

    const int row = first_row + threadIdx.y, col = first_col + threadIdx.x;
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
