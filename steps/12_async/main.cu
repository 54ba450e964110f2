// 12_async -- copies that run while the threads do something else.
//
// Builds on  10_registers: 4 x 4 pieces transposed in registers, its swizzle, its order of tiles.
// Idea       cp.async copies to shared memory without registers. Commit, continue, and wait later.
// Watch      The counters are those of lesson 10. A pipeline changes when copies happen: time it.
// Next       13_tma uses a separate unit that copies rows and boxes.

#include <cuda_pipeline.h>
#include "harness/blocks_that_stay.h"

//! [one_tile]
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, TILE_QUADS = TILE_DIM * QUADS, THREADS = 256;
__device__ void fetch(float4* tile, const float* in, int rows, int cols, int number);
__device__ void store_transposed(float* out, const float4* tile, int rows, int cols, int number);
__global__ void transpose_one_tile(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_QUADS];
    fetch(tile, in, rows, cols, blockIdx.x);  // starts copies, and does not wait for them
    __pipeline_commit();                      // closes the group of these copies
    __pipeline_wait_prior(0);                 // waits until this thread has no group in flight
    __syncthreads();                          // waits until the copies of all threads have arrived
    store_transposed(out, tile, rows, cols, blockIdx.x);
}
//! [one_tile]

static void launch_one_tile(float* out, const float* in, int rows, int cols) {
    int blocks = ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM);
    transpose_one_tile<<<blocks, THREADS>>>(out, in, rows, cols);
}

//! [fetch_and_store]
// Returns the index of float4 `quad` of row `row` in the tile, swizzled as in lesson 10. The 8
// threads that read together use rows that are 4 apart.
__device__ int place(int row, int quad) {
    return row * QUADS + (quad ^ (row / 4 % 8));
}

// Starts copying tile `number` (in column-major order) to shared memory, 16 bytes per copy. Does
// not wait for the copies.
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
//! [fetch_and_store]

// ---- a pipeline: the next tile arrives while this one is transposed ----

//! [kernel]
__global__ void transpose_pipeline(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tiles[2][TILE_QUADS];  // one is transposed while the other arrives
    int count = (rows + TILE_DIM - 1) / TILE_DIM * ((cols + TILE_DIM - 1) / TILE_DIM);

    fetch(tiles[0], in, rows, cols, blockIdx.x);
    __pipeline_commit();

    int stage = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
        int next = tile + gridDim.x;
        if (next < count) {
            fetch(tiles[1 - stage], in, rows, cols, next);
        }
        __pipeline_commit();       // one group per tile, an empty one if no tile is left
        __pipeline_wait_prior(1);  // waits for this thread's groups except the newest
        __syncthreads();           // waits for the copies of the other threads
        store_transposed(out, tiles[stage], rows, cols, tile);
        __syncthreads();  // all threads have read this stage, so it may be filled again
        stage = 1 - stage;
    }
}
//! [kernel]

static void launch_pipeline(float* out, const float* in, int rows, int cols) {
    int tiles = ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM);
    int blocks = blocks_that_stay(transpose_pipeline, THREADS, 0, tiles);
    transpose_pipeline<<<blocks, THREADS>>>(out, in, rows, cols);
}

// ---- more stages: more tiles arrive at the same time ----

//! [stages]
template <int STAGES>
__global__ void transpose_stages(float* out, const float* in, int rows, int cols) {
    extern __shared__ float4 tiles[];
    int count = (rows + TILE_DIM - 1) / TILE_DIM * ((cols + TILE_DIM - 1) / TILE_DIM);

    int next = blockIdx.x;
    for (int stage = 0; stage < STAGES - 1; ++stage, next += gridDim.x) {
        if (next < count) {
            fetch(tiles + stage * TILE_QUADS, in, rows, cols, next);
        }
        __pipeline_commit();
    }

    int stage = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x, next += gridDim.x) {
        int free_stage = (stage + STAGES - 1) % STAGES;
        if (next < count) {
            fetch(tiles + free_stage * TILE_QUADS, in, rows, cols, next);
        }
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        store_transposed(out, tiles + stage * TILE_QUADS, rows, cols, tile);
        __syncthreads();
        stage = (stage + 1) % STAGES;
    }
}
//! [stages]

template <int STAGES>
static void launch_stages(float* out, const float* in, int rows, int cols) {
    int bytes = STAGES * TILE_QUADS * sizeof(float4);
    // A block gets more than 48 KiB of shared memory only on request.
    cudaFuncSetAttribute(transpose_stages<STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         bytes);
    int tiles = ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM);
    int blocks = blocks_that_stay(transpose_stages<STAGES>, THREADS, bytes, tiles);
    transpose_stages<STAGES><<<blocks, THREADS, bytes>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "one_tile", .about = "cp.async, one tile per block: nothing to overlap within it",
         .launch = launch_one_tile, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "pipeline", .about = "cp.async, 2 stages: one tile arrives while one is transposed",
         .launch = launch_pipeline, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "pipeline_3", .about = "cp.async, 3 stages",
         .launch = launch_stages<3>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "pipeline_4", .about = "cp.async, 4 stages",
         .launch = launch_stages<4>, .rows_multiple = 4, .cols_multiple = 4},
    });
    // clang-format on
}
