// expect: shifted
// mistake: The columns of the tile begin at the first output instead of left of it.
// says: 1 after it
#include "exercise.h"

constexpr int BLOCK_X = 32, BLOCK_Y = 16, TILE_X = BLOCK_X + 2, TILE_Y = BLOCK_Y + 2;

__global__ void stencil_2d(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_Y][TILE_X];
    const int first_row = blockIdx.y * BLOCK_Y, first_col = blockIdx.x * BLOCK_X;

    for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < TILE_Y * TILE_X; i += BLOCK_Y * BLOCK_X) {
        const int row = first_row + i / TILE_X - 1, col = first_col + i % TILE_X;
        const bool is_inside = row >= 0 && row < rows && col >= 0 && col < cols;
        tile[i / TILE_X][i % TILE_X] = is_inside ? in[row * cols + col] : 0;
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
