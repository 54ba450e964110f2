// Exercise 15_permute -- transpose each matrix of a stack separately.
//
// Given   lesson 05's kernel for one matrix of MATRIX_ROWS rows. `in` is a stack of such matrices,
//         and `rows` counts the rows of all of them. `out` is a stack of the transposed matrices.
// Write   the place where a block's matrix begins, and a grid for all matrices (4 lines).
// Check   ./learn check 15          Stuck?   ./learn hint 15
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;
constexpr int MATRIX_ROWS = 64;

__global__ void transpose_stack(float* out, const float* in, int, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    //! [blank]
    //! // TODO: blockIdx.z is the number of this block's matrix. Move both pointers to it.
    in += blockIdx.z * MATRIX_ROWS * cols;
    out += blockIdx.z * MATRIX_ROWS * cols;
    //! [blank]

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < MATRIX_ROWS && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < MATRIX_ROWS && col + k < cols) {
            out[(col + k) * MATRIX_ROWS + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    //! [blank]
    //! // TODO: this grid has blocks for a single matrix. Add blocks for all others.
    //! return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(MATRIX_ROWS, TILE_DIM)},
    //!         .block = {TILE_DIM, BLOCK_ROWS}};
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(MATRIX_ROWS, TILE_DIM), rows / MATRIX_ROWS},
            .block = {TILE_DIM, BLOCK_ROWS}};
    //! [blank]
}
