// 02_naive -- one thread moves one element.
//
// Builds on  01_copy: the same loads, without the loop. Only the index of the store changes.
// Idea       Swap the indices when storing: out(col, row) = in(row, col).
// Watch      The 32 lanes of a warp read 32 neighbours, which are 128 bytes in 4 sectors.
//            They write to 32 addresses that are `rows` floats apart. These are in 32
//            sectors, and only 4 of the 32 bytes in each sector are useful.
// Next       03_tiled transposes a tile in shared memory, so that a store also costs 4 sectors.

#include "harness/harness.h"

//! [kernel]
__global__ void transpose_naive(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // Blocks on the right and bottom edges may extend beyond the matrix.
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}
//! [kernel]

// A warp is 32 threads in one row of the block, or in several rows if the block is narrower. So the
// shape of the block decides how many rows and columns of the matrix one request touches.
template <int BLOCK_COLS, int BLOCK_ROWS>
static void launch(float* out, const float* in, int rows, int cols) {
    dim3 block(BLOCK_COLS, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, block.x), ceil_div(rows, block.y));
    transpose_naive<<<grid, block>>>(out, in, rows, cols);
}

// The lanes of a warp read a column of `in` instead of a row. The column is a row of `out`.
//! [stores_coalesced]
__global__ void transpose_stores_coalesced(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}
//! [stores_coalesced]

static void launch_stores_coalesced(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 8);
    dim3 grid(ceil_div(rows, block.x), ceil_div(cols, block.y));
    transpose_stores_coalesced<<<grid, block>>>(out, in, rows, cols);
}

// Uses one thread per row, as a CPU program would. The lanes of a warp are a whole row apart.
//! [thread_a_row]
__global__ void transpose_thread_a_row(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows) {
        for (int col = 0; col < cols; col++) {
            out[col * rows + row] = in[row * cols + col];
        }
    }
}
//! [thread_a_row]

static void launch_thread_a_row(float* out, const float* in, int rows, int cols) {
    transpose_thread_a_row<<<ceil_div(rows, 128), 128>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "naive", .about = "one element per thread, coalesced loads, blocks 32 x 8",
         .launch = launch<32, 8>},
        {.name = "thread_a_row", .about = "one thread moves a whole row",
         .launch = launch_thread_a_row},
        {.name = "stores_coalesced", .about = "one element per thread, coalesced stores, not loads",
         .launch = launch_stores_coalesced},
        {.name = "32x32", .about = "blocks 32 wide, 32 tall", .launch = launch<32, 32>},
        {.name = "16x16", .about = "blocks 16 wide, 16 tall", .launch = launch<16, 16>},
        {.name = "8x32", .about = "blocks 8 wide, 32 tall", .launch = launch<8, 32>},
        {.name = "8x64", .about = "blocks 8 wide, 64 tall", .launch = launch<8, 64>},
    });
    // clang-format on
}
