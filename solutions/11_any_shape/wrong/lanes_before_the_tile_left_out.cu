// expect: never-written
// mistake: Leave out the lanes before the tile instead of the rows below 0.
// says: leaves out the lanes
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, WARPS = 8;
constexpr int SECTOR = 8, LEAD = SECTOR - 1;  // floats

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + LEAD][TILE_DIM + 1];

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int tile_row = blockIdx.y * TILE_DIM;
    int tile_col = blockIdx.x * TILE_DIM;

    for (int k = warp; k < TILE_DIM + LEAD; k += WARPS) {
        int row = tile_row - LEAD + k, col = tile_col + lane;
        if (row >= 0 && row < rows && col < cols) tile[k][lane] = in[row * cols + col];
    }

    __syncthreads();

    for (int k = warp; k < TILE_DIM; k += WARPS) {
        int col = tile_col + k;
        int shift = (col * rows + tile_row) % SECTOR;
        if (lane < shift || col >= cols) continue;  // here
        int row = tile_row + lane - shift;
        if (row < rows) out[col * rows + row] = tile[lane - shift + LEAD][k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows + LEAD, TILE_DIM)},
            .block = {TILE_DIM * WARPS}};
}
