// expect: no-bounds-check | out-of-bounds
// mistake: Rows are compared with the number of columns, and columns with that of rows.
// says: Compare `r` with `rows`, not with `cols`
#include "exercise.h"

constexpr int BLOCK_X = 32, BLOCK_Y = 16, TILE_X = BLOCK_X + 2, TILE_Y = BLOCK_Y + 2;

__global__ void stencil_2d(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_Y][TILE_X];
    const int first_row = blockIdx.y * BLOCK_Y, first_col = blockIdx.x * BLOCK_X;
    for (int k = threadIdx.y * BLOCK_X + threadIdx.x; k < TILE_X * TILE_Y; k += BLOCK_X * BLOCK_Y) {
        const int r = first_row + k / TILE_X - 1, c = first_col + k % TILE_X - 1;
        float value = 0;
        if (r >= 0 && c >= 0 && r < cols && c < rows) value = in[r * cols + c];  // here
        tile[k / TILE_X][k % TILE_X] = value;
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
