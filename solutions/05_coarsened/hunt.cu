// Bug hunt 05_coarsened -- a colleague's coarsened transpose, with one bounds check per thread.
//
// Seen    The result was correct for every matrix, even with ragged edges. In another program,
//         the same kernel once stopped with "an illegal memory access was encountered".
// Fix     the bug, and change as little as you can (about 5 lines).
// Check   ./learn check 05 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    //! [blank]
    //! if (row < rows && col < cols) {
    //!     for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
    //!         tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
    //!     }
    //! }
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }
    //! [blank]

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
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
