// expect: wrong-elements
// mistake: The kernel subtracts the left column from the right one, not the upper row from the lower one.
#include "exercise.h"

constexpr int BLOCK_X = 32, BLOCK_Y = 16, TILE_X = BLOCK_X + 2, TILE_Y = BLOCK_Y + 2;

__global__ void stencil_2d(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_Y][TILE_X];
    const int first_row = blockIdx.y * BLOCK_Y, first_col = blockIdx.x * BLOCK_X;
    for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < TILE_Y * TILE_X; i += BLOCK_Y * BLOCK_X) {
        const int row = first_row + i / TILE_X - 1, col = first_col + i % TILE_X - 1;
        const bool is_inside = row >= 0 && row < rows && col >= 0 && col < cols;
        tile[i / TILE_X][i % TILE_X] = is_inside ? in[row * cols + col] : 0;
    }
    __syncthreads();
    const int row = first_row + threadIdx.y, col = first_col + threadIdx.x;
    if (row >= rows || col >= cols) return;
    const float* left = &tile[threadIdx.y][threadIdx.x];
    const float* right = left + 2;
    out[row * cols + col] = right[0] + 2 * right[TILE_X] + right[2 * TILE_X] -
                            (left[0] + 2 * left[TILE_X] + left[2 * TILE_X]);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, BLOCK_X), ceil_div(rows, BLOCK_Y)},
            .block = {BLOCK_X, BLOCK_Y}};
}
