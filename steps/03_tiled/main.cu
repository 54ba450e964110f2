// 03_tiled -- transpose a tile in shared memory.
//
// Builds on  02_naive: the same loads fill a tile in shared memory, from which the stores read.
// Idea       A block reads its tile row by row, waits for all of it, and writes it column by
//            column. A column of the tile is a row of `out`, so stores are coalesced too.
// Watch      A load costs 4 sectors and a store 4, so no byte is wasted. But the 32 lanes that
//            read a column of the tile all access one bank of shared memory, which takes 32
//            wavefronts instead of 1.
// Next       04_padded makes each row of the tile one float longer, and needs only 1 wavefront.

#include "harness/harness.h"

//! [kernel]
template <int TILE_DIM>
__global__ void transpose_tiled(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
}
//! [kernel]

template <int TILE_DIM>
static void launch(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM, TILE_DIM);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_tiled<TILE_DIM><<<grid, block>>>(out, in, rows, cols);
}

// The launch sets the size of the tile, so one compiled kernel serves every size.
//! [dynamic]
__global__ void transpose_tiled_dynamic(float* out, const float* in, int rows, int cols) {
    extern __shared__ float tile[];
    int tile_dim = blockDim.x;

    int col = blockIdx.x * tile_dim + threadIdx.x;
    int row = blockIdx.y * tile_dim + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y * tile_dim + threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();

    col = blockIdx.x * tile_dim + threadIdx.y;
    row = blockIdx.y * tile_dim + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x * tile_dim + threadIdx.y];
    }
}
//! [dynamic]

static void launch_dynamic(float* out, const float* in, int rows, int cols) {
    unsigned tile_dim = 32;  // at most 32, because a block has at most 1024 threads
    dim3 block(tile_dim, tile_dim);
    dim3 grid(ceil_div(cols, tile_dim), ceil_div(rows, tile_dim));
    size_t shared_bytes = sizeof(float) * tile_dim * tile_dim;
    transpose_tiled_dynamic<<<grid, block, shared_bytes>>>(out, in, rows, cols);
}

// Does half of a transpose: transposes each tile, and writes it back to its original position.
//! [fine]
template <int TILE_DIM>
__global__ void transpose_fine(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    bool inside = row < rows && col < cols;
    if (inside) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();

    // On a ragged edge, the element mirrored within the tile may be outside the matrix.
    int source_col = blockIdx.x * TILE_DIM + threadIdx.y;
    int source_row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (inside && source_row < rows && source_col < cols) {
        out[row * cols + col] = tile[threadIdx.x][threadIdx.y];
    }
}
//! [fine]

// Does the other half: moves each tile to its mirrored position, without transposing the tile.
//! [coarse]
template <int TILE_DIM>
__global__ void transpose_coarse(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    bool inside = row < rows && col < cols;
    if (inside) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (inside && row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.y][threadIdx.x];
    }
}
//! [coarse]

static void launch_fine(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 32);
    dim3 grid(ceil_div(cols, 32), ceil_div(rows, 32));
    transpose_fine<32><<<grid, block>>>(out, in, rows, cols);
}

static void launch_coarse(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 32);
    dim3 grid(ceil_div(cols, 32), ceil_div(rows, 32));
    transpose_coarse<32><<<grid, block>>>(out, in, rows, cols);
}

// The same kernel without bounds checks, for matrices of whole tiles. Shows what the checks cost.
//! [unchecked]
template <int TILE_DIM>
__global__ void transpose_tiled_unchecked(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[row * cols + col];

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
}
//! [unchecked]

static void launch_unchecked(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 32);
    dim3 grid(ceil_div(cols, 32), ceil_div(rows, 32));
    transpose_tiled_unchecked<32><<<grid, block>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "tiled", .about = "32 x 32 tile in shared memory, 32 x 32 threads",
         .launch = launch<32>},
        {.name = "tiled_16", .about = "16 x 16 tile, 16 x 16 threads", .launch = launch<16>},
        {.name = "tiled_dynamic", .about = "tile in dynamic shared memory, sized at run time",
         .launch = launch_dynamic},
        {.name = "fine", .about = "one half: transposes each tile, leaves it where it was",
         .launch = launch_fine, .produces = {Produces::transposed_tiles, 32}},
        {.name = "coarse", .about = "the other half: moves each tile, does not transpose it",
         .launch = launch_coarse, .produces = {Produces::moved_tiles, 32}},
        {.name = "tiled_unchecked", .about = "32 x 32 tile, no bounds checks",
         .launch = launch_unchecked, .rows_multiple = 32, .cols_multiple = 32},
    });
    // clang-format on
}
