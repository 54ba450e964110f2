// 08_vec4 -- each load and store moves four floats.
//
// Builds on  07_vec2: float4 instead of float2. Nothing else changes.
// Idea       A lane moves 16 bytes per instruction, the maximum: a quarter of lesson 05's requests.
// Watch      16 sectors per request, from four rows of the tile. Each float4 takes four accesses to
//            shared memory. In each of them, 8 lanes of a row are 4 banks apart, and the 4 rows are
//            1 bank apart. So the 32 lanes use 32 banks. A wider tile will have conflicts.
// Next       09_vec4_t64 doubles the side of the tile, so that a warp reads longer runs of memory.

#include "harness/harness.h"

//! [kernel]
template <int TILE_DIM, int BLOCK_ROWS>
__global__ void transpose_vec4(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x * 4;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            float4 v = reinterpret_cast<const float4&>(in[(row + k) * cols + col]);
            tile[threadIdx.y + k][threadIdx.x * 4 + 0] = v.x;
            tile[threadIdx.y + k][threadIdx.x * 4 + 1] = v.y;
            tile[threadIdx.y + k][threadIdx.x * 4 + 2] = v.z;
            tile[threadIdx.y + k][threadIdx.x * 4 + 3] = v.w;
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, four rows per lane.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 4;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            float4 v;
            v.x = tile[threadIdx.x * 4 + 0][threadIdx.y + k];
            v.y = tile[threadIdx.x * 4 + 1][threadIdx.y + k];
            v.z = tile[threadIdx.x * 4 + 2][threadIdx.y + k];
            v.w = tile[threadIdx.x * 4 + 3][threadIdx.y + k];
            reinterpret_cast<float4&>(out[(col + k) * rows + row]) = v;
        }
    }
}
//! [kernel]

// COARSENING is the number of float4s that each thread moves.
template <int COARSENING>
static void launch(float* out, const float* in, int rows, int cols) {
    constexpr int TILE_DIM = 32, BLOCK_ROWS = TILE_DIM / COARSENING;
    dim3 block(TILE_DIM / 4, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_vec4<TILE_DIM, BLOCK_ROWS><<<grid, block>>>(out, in, rows, cols);
}

//! [no_shared]
// Needs no shared memory. A thread reads 4 floats from a column and stores them side by side.
__global__ void transpose_no_shared(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4;

    if (row < rows && col < cols) {
        float4 v;
        v.x = in[(row + 0) * cols + col];
        v.y = in[(row + 1) * cols + col];
        v.z = in[(row + 2) * cols + col];
        v.w = in[(row + 3) * cols + col];
        reinterpret_cast<float4&>(out[col * rows + row]) = v;
    }
}
//! [no_shared]

template <int BLOCK_COLS, int BLOCK_ROWS>
static void launch_no_shared(float* out, const float* in, int rows, int cols) {
    dim3 block(BLOCK_COLS, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, block.x), ceil_div(rows, block.y * 4));
    transpose_no_shared<<<grid, block>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "vec4", .about = "two float4 per thread: 8 x 16 threads",
         .launch = launch<2>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec4_x1", .about = "one float4 per thread: 8 x 32 threads",
         .launch = launch<1>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec4_x4", .about = "four float4 per thread: 8 x 8 threads",
         .launch = launch<4>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec4_x8", .about = "eight float4 per thread: 8 x 4 threads, one warp",
         .launch = launch<8>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "no_shared", .about = "4 loads and one float4 store, no shared memory: 32 x 8 threads",
         .launch = launch_no_shared<32, 8>, .rows_multiple = 4},
        {.name = "no_shared_8x32", .about = "the same with 8 x 32 threads: a warp covers 16 rows of 8 floats",
         .launch = launch_no_shared<8, 32>, .rows_multiple = 4},
    });
    // clang-format on
}
