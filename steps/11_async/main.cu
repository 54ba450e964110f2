// 11_async -- copies that go on while the threads do something else.
//
// Builds on  09_vec4_t64: its 4 x 4 pieces turned in registers, its swizzle, its order of tiles.
// Idea       cp.async copies from global to shared memory, past the registers, and nobody waits for
//            it. A block that stays for many tiles fetches the next one while it turns this one.
// Watch      The same 16 sectors a request, no conflicts, and one tile always on its way. Then time
//            it beside `one_tile`, which leaves the overlapping to the other blocks.
// Next       Your own.

#include <cuda_pipeline.h>

#include "harness/harness.h"

//! [kernel]
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4;  // a tile: 64 rows of 16 float4
constexpr int TILE_QUADS = TILE_DIM * QUADS;
constexpr int THREADS = 256;  // one for each 4 x 4 piece of a tile

// Where the tile keeps float4 number `quad` of its row `row`: 09's swizzle. The 8 threads that read
// together have rows 4 apart.
__device__ int place(int row, int quad) {
    return row * QUADS + (quad ^ (row / 4 % 8));
}

// Sends a tile on its way to shared memory, 16 bytes a copy, and waits for nothing.
__device__ void fetch(float4* tile, const float* in, int rows, int cols, int tile_row,
                      int tile_col) {
    int quad = threadIdx.x % QUADS;
    int col = tile_col + quad * 4;
    for (int k = threadIdx.x / QUADS; k < TILE_DIM; k += THREADS / QUADS) {
        if (tile_row + k < rows && col < cols) {
            __pipeline_memcpy_async(&tile[place(k, quad)], &in[(tile_row + k) * cols + col], 16);
        }
    }
}

// Turns this thread's 4 x 4 piece in its registers and stores it.
__device__ void turn(float* out, const float4* tile, int rows, int cols, int tile_row,
                     int tile_col) {
    int row_quad = threadIdx.x % QUADS, col_quad = threadIdx.x / QUADS;
    int row = tile_row + row_quad * 4, col = tile_col + col_quad * 4;
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

// A block takes every gridDim.x-th tile. STAGES tiles fit into shared memory: while one is turned,
// the others arrive.
template <int STAGES>
__global__ void transpose_pipeline(float* out, const float* in, int rows, int cols) {
    extern __shared__ float4 tiles[];
    int down = (rows + TILE_DIM - 1) / TILE_DIM;
    int count = down * ((cols + TILE_DIM - 1) / TILE_DIM);

    int next = blockIdx.x;
    for (int stage = 0; stage < STAGES - 1; ++stage, next += gridDim.x) {
        if (next < count) {
            fetch(tiles + stage * TILE_QUADS, in, rows, cols, next % down * TILE_DIM,
                  next / down * TILE_DIM);
        }
        __pipeline_commit();
    }

    int stage = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x, next += gridDim.x) {
        int free_stage = (stage + STAGES - 1) % STAGES;
        if (next < count) {
            fetch(tiles + free_stage * TILE_QUADS, in, rows, cols, next % down * TILE_DIM,
                  next / down * TILE_DIM);
        }
        __pipeline_commit();  // a group for each tile, an empty one when there is none left

        __pipeline_wait_prior(STAGES - 1);  // what this thread copied of this tile has arrived,
        __syncthreads();                    // and what the others copied
        turn(out, tiles + stage * TILE_QUADS, rows, cols, tile % down * TILE_DIM,
             tile / down * TILE_DIM);
        __syncthreads();  // nobody reads this stage any more: it may be filled again
        stage = (stage + 1) % STAGES;
    }
}
//! [kernel]

// As many blocks as the device holds at a time, but no more than leave each some tiles to go through.
template <class Kernel>
static int blocks_that_stay(Kernel kernel, int bytes, int rows, int cols) {
    constexpr int FEWEST_TILES = 4;
    int on_each = 0, multiprocessors = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, kernel, THREADS, bytes);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    int tiles = ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM);
    int blocks = ceil_div(tiles, FEWEST_TILES);
    return blocks < on_each * multiprocessors ? blocks : on_each * multiprocessors;
}

template <int STAGES>
static void launch(float* out, const float* in, int rows, int cols) {
    int bytes = STAGES * TILE_QUADS * sizeof(float4);
    // More than 48 KiB of shared memory is given on request only.
    cudaFuncSetAttribute(transpose_pipeline<STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         bytes);
    int blocks = blocks_that_stay(transpose_pipeline<STAGES>, bytes, rows, cols);
    transpose_pipeline<STAGES><<<blocks, THREADS, bytes>>>(out, in, rows, cols);
}

// ---- the same without a pipeline ----

//! [one_tile]
// One tile a block. While this block waits for its tile, others turn theirs.
__global__ void transpose_one_tile(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_QUADS];
    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    fetch(tile, in, rows, cols, tile_row, tile_col);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    turn(out, tile, rows, cols, tile_row, tile_col);
}
//! [one_tile]

static void launch_one_tile(float* out, const float* in, int rows, int cols) {
    dim3 grid(ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM));
    transpose_one_tile<<<grid, THREADS>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "pipeline", .about = "cp.async, 2 stages: one tile arrives while one is turned",
         .launch = launch<2>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "pipeline_3", .about = "cp.async, 3 stages",
         .launch = launch<3>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "pipeline_4", .about = "cp.async, 4 stages",
         .launch = launch<4>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "one_tile", .about = "cp.async, one tile a block: nothing to overlap within it",
         .launch = launch_one_tile, .rows_multiple = 4, .cols_multiple = 4},
    });
    // clang-format on
}
