// expect: too-many-threads
// mistake: Cover the rows of the whole stack along y, and the matrices along z.
// says: third size counts the matrices already
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;
constexpr int MATRIX_ROWS = 64;

__global__ void transpose_stack(float* out, const float* in, int, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    const int z = blockIdx.z;

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < MATRIX_ROWS && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(z * MATRIX_ROWS + row + k) * cols + col];
        }
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < MATRIX_ROWS && col + k < cols) {
            out[(z * cols + col + k) * MATRIX_ROWS + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM), rows / MATRIX_ROWS);  // here
    return {.grid = grid, .block = dim3(TILE_DIM, BLOCK_ROWS)};
}
