// expect: too-many-requests
// mistake: Stores begin at cache lines instead of sectors.
// says: 7 rows are enough
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
constexpr int LINE = 32, LEAD = LINE - 1;  // here

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + LEAD][TILE_DIM + 1];
    int r0 = blockIdx.y * TILE_DIM, c0 = blockIdx.x * TILE_DIM, x = threadIdx.x;
    for (int k = threadIdx.y; k < TILE_DIM + LEAD; k += BLOCK_ROWS) {
        int r = r0 - LEAD + k;
        if (r >= 0 && r < rows && c0 + x < cols) tile[k][x] = in[r * cols + c0 + x];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        int c = c0 + k;
        int phase = (c * rows + r0) % LINE;
        int r = r0 - phase + x;
        if (r >= 0 && r < rows && c < cols) out[c * rows + r] = tile[x + LEAD - phase][k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows + LEAD, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
