// Two warps copy the tiles and eight warps store them, as producers and consumers of a cuda::pipeline.
#include <cooperative_groups.h>
#include <cuda/pipeline>
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, TILE_QUADS = TILE_DIM * QUADS, THREADS = 256, PRODUCERS = 64;

// Returns the index of float4 `quad` of row `row` in the tile.
__device__ int place(int row, int quad) {
    return row * QUADS + (quad ^ (row / 4 % 8));
}

// Starts copying tile `number` (in column-major order) to shared memory.
template <class Pipe>
__device__ void fetch(Pipe& pipe, float4* tile, const float* in, int rows, int cols, int number) {
    int down = (rows + TILE_DIM - 1) / TILE_DIM;
    int tile_row = number % down * TILE_DIM, tile_col = number / down * TILE_DIM;
    int quad = threadIdx.x % QUADS, col = tile_col + quad * 4;
    for (int k = (threadIdx.x - THREADS) / QUADS; k < TILE_DIM; k += PRODUCERS / QUADS) {
        if (tile_row + k < rows && col < cols) {
            cuda::memcpy_async(&tile[place(k, quad)], reinterpret_cast<const float4*>(&in[(tile_row + k) * cols + col]),
                               cuda::aligned_size_t<16>(16), pipe);
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
    __shared__ float4 tiles[2][TILE_QUADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto role = threadIdx.x >= THREADS ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, role);
    const int count = (rows + TILE_DIM - 1) / TILE_DIM * ((cols + TILE_DIM - 1) / TILE_DIM);
    int n = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x, ++n) {
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            fetch(pipe, tiles[n % 2], in, rows, cols, tile);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            store_transposed(out, tiles[n % 2], rows, cols, tile);
            pipe.consumer_release();
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM), 8)}, .block = {THREADS + PRODUCERS}};
}
