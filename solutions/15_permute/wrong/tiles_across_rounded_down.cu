// expect: no-bounds-check
// mistake: Round the number of tiles across down in the kernel, but not in configure.
// says: is rounded down
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;
constexpr int MATRIX_ROWS = 64;

__global__ void transpose_stack(float* out, const float* in, int, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // blockIdx.x counts the tiles across all matrices, blockIdx.y the two tiles down a matrix.
    int across = cols / TILE_DIM;  // here
    int matrix = blockIdx.x / across;
    int tile_col = blockIdx.x % across * TILE_DIM;
    int tile_row = blockIdx.y * TILE_DIM;
    in += matrix * MATRIX_ROWS * cols;
    out += matrix * MATRIX_ROWS * cols;

    int col = tile_col + threadIdx.x;
    int row = tile_row + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < MATRIX_ROWS && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = tile_col + threadIdx.y;
    row = tile_row + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < MATRIX_ROWS && col + k < cols) {
            out[(col + k) * MATRIX_ROWS + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM) * (rows / MATRIX_ROWS), MATRIX_ROWS / TILE_DIM},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
