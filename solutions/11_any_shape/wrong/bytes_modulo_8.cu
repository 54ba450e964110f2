// expect: uncoalesced-stores
// mistake: The address is taken modulo 8, but counts bytes.
// says: an address counts bytes
#include "exercise.h"  // Launch, ceil_div

#include <cstdint>

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8, LEAD = 7;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + LEAD][TILE_DIM + 1];
    const int first_row = blockIdx.y * TILE_DIM, first_col = blockIdx.x * TILE_DIM;
    const int x = threadIdx.x;

    for (int k = threadIdx.y; k < TILE_DIM + LEAD; k += BLOCK_ROWS) {
        int row = first_row - LEAD + k, col = first_col + x;
        if (row >= 0 && row < rows && col < cols) tile[k][x] = in[row * cols + col];
    }

    __syncthreads();

    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        int col = first_col + k;
        float* to = out + col * rows + first_row;
        int phase = reinterpret_cast<std::uintptr_t>(to) % 8;  // here
        int row = first_row - phase + x;
        if (row >= 0 && row < rows && col < cols) to[x - phase] = tile[x - phase + LEAD][k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows + LEAD, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}
