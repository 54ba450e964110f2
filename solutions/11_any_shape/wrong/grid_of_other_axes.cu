// expect: never-written
// mistake: Take rows from blockIdx.x, although the first size of the grid covers the columns.
// says: blockIdx.x counts rows
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int SECTOR = 8, LEAD = SECTOR - 1;  // floats

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + LEAD][TILE_DIM + 1];

    // column-major order of the blocks
    int tile_row = blockIdx.x * TILE_DIM;
    int tile_col = blockIdx.y * TILE_DIM;

    int col = tile_col + threadIdx.x;
    for (int k = threadIdx.y; k < TILE_DIM + LEAD; k += BLOCK_ROWS) {
        int row = tile_row - LEAD + k;
        if (row >= 0 && row < rows && col < cols) {
            tile[k][threadIdx.x] = in[row * cols + col];
        }
    }

    __syncthreads();

    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        int x = threadIdx.x, y = threadIdx.y + k;
        int start = (tile_col + y) * rows;  // of this row of `out`
        int phase = (start + tile_row) % SECTOR;
        int row = tile_row + x - phase;
        if (row >= 0 && row < rows && tile_col + y < cols) {
            out[start + row] = tile[x - phase + LEAD][y];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    // Stores begin and end up to LEAD rows earlier, so the last rows may need one more tile.
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows + LEAD, TILE_DIM)},  // here
            .block = {TILE_DIM, BLOCK_ROWS}};
}
