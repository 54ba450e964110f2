// expect: missing-barrier
// mistake: Leave out the barrier between the loads and the stores.
// says: barrier is missing
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int SECTOR = 8, LEAD = SECTOR - 1;  // floats

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + LEAD][TILE_DIM + 1];

    const int tile_row = blockIdx.y * TILE_DIM;
    const int tile_col = blockIdx.x * TILE_DIM;
    const int x = threadIdx.x;

    for (int k = threadIdx.y; k < TILE_DIM + LEAD; k += BLOCK_ROWS) {
        const int row = tile_row - LEAD + k;
        if (row >= 0 && row < rows && tile_col + x < cols) {
            tile[k][x] = in[row * cols + tile_col + x];
        }
    }

    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        const int col = tile_col + k;
        const int phase = (col * rows + tile_row) % SECTOR;
        const int row = tile_row - phase + x;
        if (row >= 0 && row < rows && col < cols) {
            out[col * rows + row] = tile[x + LEAD - phase][k];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows + LEAD, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
