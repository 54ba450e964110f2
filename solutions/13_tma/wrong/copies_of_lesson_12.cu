// expect: copies-not-async
// mistake: The threads copy the tile with cp.async.
// says: small pieces
// never: through registers
#include "exercise.h"  // Launch, ceil_div

#include <cuda_pipeline.h>

constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, ROW = QUADS + 1, THREADS = 256;  // quad: float4

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * ROW];  // rows of `in`, each padded by one float4
    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;

    int quad = threadIdx.x % QUADS;
    for (int k = threadIdx.x / QUADS; k < TILE_DIM; k += THREADS / QUADS) {
        if (tile_row + k < rows && tile_col + quad * 4 < cols) {
            const float* from = &in[(tile_row + k) * cols + tile_col + quad * 4];
            __pipeline_memcpy_async(&tile[k * ROW + quad], from, 16);  // here
        }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();

    // Rows that are 4 apart begin in only 2 of 8 bank groups. To avoid conflicts, the 8 threads
    // that read together take pieces on a diagonal. Two of them still fill a sector of `out`.
    int row_quad = threadIdx.x % QUADS;
    int col_quad = (threadIdx.x / QUADS + row_quad / 2) % QUADS;
    int row = tile_row + row_quad * 4, col = tile_col + col_quad * 4;
    if (row < rows && col < cols) {
        float4 a = tile[(row_quad * 4 + 0) * ROW + col_quad];
        float4 b = tile[(row_quad * 4 + 1) * ROW + col_quad];
        float4 c = tile[(row_quad * 4 + 2) * ROW + col_quad];
        float4 d = tile[(row_quad * 4 + 3) * ROW + col_quad];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM)}, .block = {THREADS}};
}
