// expect: copy-not-waited-for
// mistake: The stage that is read depends on the number of the tile.
// says: need not change
#include "exercise.h"  // Launch, ceil_div

#include <cuda_pipeline.h>

constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, TILE_QUADS = TILE_DIM * QUADS, THREADS = 256;

// Returns the index of float4 `quad` of row `row` in the tile.
__device__ int place(int row, int quad) {
    return row * QUADS + (quad ^ (row / 4 % 8));
}

// Starts copying tile `number` (in column-major order) to shared memory.
__device__ void fetch(float4* tile, const float* in, int rows, int cols, int number) {
    int down = (rows + TILE_DIM - 1) / TILE_DIM;
    int tile_row = number % down * TILE_DIM, tile_col = number / down * TILE_DIM;
    int quad = threadIdx.x % QUADS, col = tile_col + quad * 4;
    for (int k = threadIdx.x / QUADS; k < TILE_DIM; k += THREADS / QUADS) {
        if (tile_row + k < rows && col < cols) {
            __pipeline_memcpy_async(&tile[place(k, quad)], &in[(tile_row + k) * cols + col], 16);
        }
    }
}

// Transposes this thread's 4 x 4 piece of tile `number` in registers and stores it to `out`.
__device__ void store_transposed(float* out, const float4* tile, int rows, int cols, int number) {
    int down = (rows + TILE_DIM - 1) / TILE_DIM;
    int row_quad = threadIdx.x % QUADS, col_quad = threadIdx.x / QUADS;
    int row = number % down * TILE_DIM + row_quad * 4;
    int col = number / down * TILE_DIM + col_quad * 4;
    if (row < rows && col < cols) {
        float4 a = tile[place(row_quad * 4 + 0, col_quad)];
        float4 b = tile[place(row_quad * 4 + 1, col_quad)];
        float4 c = tile[place(row_quad * 4 + 2, col_quad)];
        float4 d = tile[place(row_quad * 4 + 3, col_quad)];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tiles[2][TILE_QUADS];  // one is transposed while the other arrives
    int count = (rows + TILE_DIM - 1) / TILE_DIM * ((cols + TILE_DIM - 1) / TILE_DIM);

    // Start copying the first tile, as one group of copies.
    fetch(tiles[0], in, rows, cols, blockIdx.x);
    __pipeline_commit();

    int stage = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
        int next = tile + gridDim.x;
        if (next < count) {
            fetch(tiles[1 - stage], in, rows, cols, next);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        store_transposed(out, tiles[tile % 2], rows, cols, tile);  // here
        __syncthreads();
        stage = 1 - stage;
    }
}

constexpr Launch configure(int rows, int cols) {
    // Four tiles per block.
    return {.grid = {ceil_div(ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM), 4)},
            .block = {THREADS}};
}
