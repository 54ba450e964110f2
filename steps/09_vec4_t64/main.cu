// 09_vec4_t64 -- a 64 x 64 tile, moved by float4.
//
// Builds on  08_vec4: the kernel is exactly the same. Only the launch changes.
// Idea       A row of the tile is 256 bytes, so memory is read and written in longer runs, and only
//            a quarter as many blocks start.
// Watch      Still 16 sectors per request, but each shared access now takes 2 wavefronts: 16 lanes
//            that are 4 banks apart span 64 banks, but only 32 exist. No padding prevents that.
// Next       10_registers transposes pieces in registers before they go into the tile, and has no
//            bank conflicts.

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

// A thread moves 16 bytes per access, so a block is TILE_DIM / 4 threads wide.
template <int TILE_DIM, int BLOCK_ROWS>
static void launch(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM / 4, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_vec4<TILE_DIM, BLOCK_ROWS><<<grid, block>>>(out, in, rows, cols);
}

// ---- float2: the kernel of lesson 07 with a 64 x 64 tile ----

//! [vec2]
template <int TILE_DIM, int BLOCK_ROWS>
__global__ void transpose_vec2(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x * 2;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            float2 v = reinterpret_cast<const float2&>(in[(row + k) * cols + col]);
            tile[threadIdx.y + k][threadIdx.x * 2 + 0] = v.x;
            tile[threadIdx.y + k][threadIdx.x * 2 + 1] = v.y;
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, two rows per lane.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 2;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            float2 v;
            v.x = tile[threadIdx.x * 2 + 0][threadIdx.y + k];
            v.y = tile[threadIdx.x * 2 + 1][threadIdx.y + k];
            reinterpret_cast<float2&>(out[(col + k) * rows + row]) = v;
        }
    }
}
//! [vec2]

template <int TILE_DIM, int BLOCK_ROWS>
static void launch_vec2(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM / 2, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_vec2<TILE_DIM, BLOCK_ROWS><<<grid, block>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "vec4_t64", .about = "four float4 per thread: 16 x 16 threads",
         .launch = launch<64, 16>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec4_t64_x1", .about = "one float4 per thread: 16 x 64 threads",
         .launch = launch<64, 64>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec4_t64_x2", .about = "two float4 per thread: 16 x 32 threads",
         .launch = launch<64, 32>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec2_t64_x1", .about = "float2: 32 x 32 threads, the largest block; 2 float2 per thread",
         .launch = launch_vec2<64, 32>, .rows_multiple = 2, .cols_multiple = 2},
        {.name = "vec2_t64_x2", .about = "float2: 32 x 16 threads",
         .launch = launch_vec2<64, 16>, .rows_multiple = 2, .cols_multiple = 2},
        {.name = "vec2_t64_x4", .about = "float2: 32 x 8 threads",
         .launch = launch_vec2<64, 8>, .rows_multiple = 2, .cols_multiple = 2},
    });
    // clang-format on
}
