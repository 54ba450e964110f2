// expect: lanes-idle
// mistake: A row of the tile is stored in two pieces.
// says: share the elements
// never: moved more often
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8, SECTOR = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const int x = threadIdx.x;
    const int tile_row = blockIdx.y * TILE_DIM, tile_col = blockIdx.x * TILE_DIM;
    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        if (tile_row + k < rows && tile_col + x < cols) {
            tile[k][x] = in[(tile_row + k) * cols + tile_col + x];
        }
    }
    __syncthreads();
    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        int col = tile_col + k;
        if (col >= cols) continue;
        int start = col * rows + tile_row;
        int head = (SECTOR - start % SECTOR) % SECTOR;  // floats up to the next sector
        // first the floats before the sector, then the rest from the sector on
        if (x < head && tile_row + x < rows) out[start + x] = tile[x][k];
        int r = head + x;
        if (r < TILE_DIM && tile_row + r < rows) out[start + r] = tile[r][k];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
