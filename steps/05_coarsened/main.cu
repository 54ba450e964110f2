// 05_coarsened -- several elements per thread.
//
// Builds on  04_padded: the same tile, a quarter of the threads, and a loop around each half.
// Idea       32 x 8 threads move a tile of 32 x 32. A thread has 4 independent loads in flight
//            before it waits, and computes its row and column once for 4 elements.
// Watch      Requests, sectors and wavefronts stay the same, and instructions nearly halve. The
//            gain is in time. Once accesses are coalesced and free of conflicts, no other step
//            gains as much on an H200.
// Next       06_diagonal changes the order in which blocks take their tiles.

#include "harness/harness.h"

//! [kernel]
template <int TILE_DIM, int BLOCK_ROWS>
__global__ void transpose_coarsened(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
//! [kernel]

template <int TILE_DIM, int BLOCK_ROWS>
static void launch(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_coarsened<TILE_DIM, BLOCK_ROWS><<<grid, block>>>(out, in, rows, cols);
}

// The block is narrower than its tile, so each thread steps through rows and columns.
//! [square_block]
template <int TILE_DIM, int BLOCK_DIM>
__global__ void transpose_square_block(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_DIM) {
        for (int j = 0; j < TILE_DIM; j += BLOCK_DIM) {
            if (row + k < rows && col + j < cols) {
                tile[threadIdx.y + k][threadIdx.x + j] = in[(row + k) * cols + (col + j)];
            }
        }
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_DIM) {
        for (int j = 0; j < TILE_DIM; j += BLOCK_DIM) {
            if (row + j < rows && col + k < cols) {
                out[(col + k) * rows + (row + j)] = tile[threadIdx.x + j][threadIdx.y + k];
            }
        }
    }
}
//! [square_block]

template <int TILE_DIM, int BLOCK_DIM>
static void launch_square_block(float* out, const float* in, int rows, int cols) {
    dim3 block(BLOCK_DIM, BLOCK_DIM);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_square_block<TILE_DIM, BLOCK_DIM><<<grid, block>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "coarsened", .about = "32 x 32 tile, 32 x 8 threads: 4 elements per thread",
         .launch = launch<32, 8>},
        {.name = "32x16", .about = "32 x 32 tile, 32 x 16 threads: 2 elements per thread",
         .launch = launch<32, 16>},
        {.name = "32x4", .about = "32 x 32 tile, 32 x 4 threads: 8 elements per thread",
         .launch = launch<32, 4>},
        {.name = "tile64_16x16", .about = "64 x 64 tile, 16 x 16 threads: 16 elements per thread",
         .launch = launch_square_block<64, 16>},
        {.name = "tile32_16x16", .about = "32 x 32 tile, 16 x 16 threads: 4 elements per thread",
         .launch = launch_square_block<32, 16>},
    });
    // clang-format on
}
