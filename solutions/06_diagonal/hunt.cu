// Bug hunt 06_diagonal -- a colleague's diagonal order, without a single division.
//
// Seen    The result was correct for 256 x 256, 1024 x 1024 and 32768 x 32768.
// Fix     the bug, and change as little as you can (about 3 lines).
// Check   ./learn check 06 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    //! [blank]
    //! int tile_row = blockIdx.x;
    //! int tile_col = blockIdx.x + blockIdx.y;
    //! if (tile_col >= gridDim.x) tile_col -= gridDim.x;
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int tile_row = block % gridDim.y;
    int tile_col = (block / gridDim.y + tile_row) % gridDim.x;
    //! [blank]

    int col = tile_col * TILE_DIM + threadIdx.x;
    int row = tile_row * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = tile_col * TILE_DIM + threadIdx.y;
    row = tile_row * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
