// 07_vec2 -- each load and store moves two floats.
//
// Builds on  05_coarsened: the same tile and order of blocks. Lanes move float2, not float.
// Idea       One instruction moves 8 bytes per lane: half as many requests for the same sectors.
// Watch      8 sectors per request instead of 4, and half the requests. The bytes are the same. The
//            tile is still accessed float by float: its rows are 33 floats long, so a float2 would
//            be misaligned in every second row.
// Next       08_vec4 uses the widest access, 16 bytes per lane.

#include "harness/harness.h"

// rows and cols must be even, so that each row of both matrices begins at a multiple of 8 bytes.
//! [kernel]
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
//! [kernel]

// COARSENING is the number of float2s that each thread moves.
template <int COARSENING>
static void launch(float* out, const float* in, int rows, int cols) {
    constexpr int TILE_DIM = 32, BLOCK_ROWS = TILE_DIM / COARSENING;
    dim3 block(TILE_DIM / 2, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_vec2<TILE_DIM, BLOCK_ROWS><<<grid, block>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "vec2", .about = "two float2 per thread: 16 x 16 threads",
         .launch = launch<2>, .rows_multiple = 2, .cols_multiple = 2},
        {.name = "vec2_x1", .about = "one float2 per thread: 16 x 32 threads",
         .launch = launch<1>, .rows_multiple = 2, .cols_multiple = 2},
        {.name = "vec2_x4", .about = "four float2 per thread: 16 x 8 threads",
         .launch = launch<4>, .rows_multiple = 2, .cols_multiple = 2},
        {.name = "vec2_x8", .about = "eight float2 per thread: 16 x 4 threads",
         .launch = launch<8>, .rows_multiple = 2, .cols_multiple = 2},
    });
    // clang-format on
}
