// expect: never-written
// mistake: The lanes before the sector are left out, instead of beginning earlier.
// says: subtract `phase` from its row
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int SECTOR = 8, LEAD = SECTOR - 1;  // floats

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + LEAD][TILE_DIM + 1];

    int tile_row = blockIdx.y * TILE_DIM;
    int tile_col = blockIdx.x * TILE_DIM;

    for (int k = threadIdx.y; k < TILE_DIM + LEAD; k += BLOCK_ROWS) {
        int row = tile_row - LEAD + k;
        int col = tile_col + threadIdx.x;
        if (row >= 0 && row < rows && col < cols) {
            tile[k][threadIdx.x] = in[row * cols + col];
        }
    }

    __syncthreads();

    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        int col = tile_col + k;
        int phase = (col * rows + tile_row) % SECTOR;
        int row = tile_row + int(threadIdx.x);
        if (int(threadIdx.x) >= phase && row < rows && col < cols) {  // here
            out[col * rows + row] = tile[threadIdx.x + LEAD][k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    // Stores begin and end up to LEAD rows earlier, so the last rows may need one more tile.
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows + LEAD, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
