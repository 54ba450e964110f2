// 04_padded -- one column of padding removes the bank conflicts.
//
// Builds on  03_tiled: the same kernel, but the rows of the tile are 33 floats long instead of 32.
// Idea       Element (r, c) of the tile is in bank (33 r + c) mod 32 = (r + c) mod 32. So the
//            32 elements of a column are in 32 different banks, as those of a row are.
// Watch      A load from shared memory costs 1 wavefront instead of 32. In global memory nothing
//            changes: 4 sectors per load, 4 per store. The padding costs 128 bytes per block and
//            holds no data.
// Next       05_coarsened gives each thread several elements.

#include "harness/harness.h"

//! [kernel]
template <int TILE_DIM>
__global__ void transpose_padded(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

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
    transpose_padded<TILE_DIM><<<grid, block>>>(out, in, rows, cols);
}

// The launch sets the size of the tile. The pitch of the tile includes the padding.
//! [dynamic]
__global__ void transpose_padded_dynamic(float* out, const float* in, int rows, int cols) {
    extern __shared__ float tile[];
    int tile_dim = blockDim.x;
    int pitch = tile_dim + 1;

    int col = blockIdx.x * tile_dim + threadIdx.x;
    int row = blockIdx.y * tile_dim + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y * pitch + threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();

    col = blockIdx.x * tile_dim + threadIdx.y;
    row = blockIdx.y * tile_dim + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x * pitch + threadIdx.y];
    }
}
//! [dynamic]

static void launch_dynamic(float* out, const float* in, int rows, int cols) {
    unsigned tile_dim = 32;  // at most 32, because a block has at most 1024 threads
    dim3 block(tile_dim, tile_dim);
    dim3 grid(ceil_div(cols, tile_dim), ceil_div(rows, tile_dim));
    size_t shared_bytes = sizeof(float) * tile_dim * (tile_dim + 1);
    transpose_padded_dynamic<<<grid, block, shared_bytes>>>(out, in, rows, cols);
}

// A swizzle costs no memory. Row r of the tile stores its element c in slot c ^ r. All elements of
// a row are in different banks, and so are all elements of a column.
//! [swizzled]
template <int TILE_DIM>
__global__ void transpose_swizzled(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[row * cols + col];
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
    }
}
//! [swizzled]

static void launch_swizzled(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 32);
    dim3 grid(ceil_div(cols, 32), ceil_div(rows, 32));
    transpose_swizzled<32><<<grid, block>>>(out, in, rows, cols);
}

// The same kernel without bounds checks, for matrices of whole tiles. Shows what the checks cost.
//! [unchecked]
template <int TILE_DIM>
__global__ void transpose_padded_unchecked(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

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
    transpose_padded_unchecked<32><<<grid, block>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "padded", .about = "32 x 33 tile, 32 x 32 threads", .launch = launch<32>},
        {.name = "padded_16", .about = "16 x 17 tile, 16 x 16 threads", .launch = launch<16>},
        {.name = "padded_dynamic", .about = "padded tile in dynamic shared memory",
         .launch = launch_dynamic},
        {.name = "swizzled", .about = "32 x 32 tile, element (r, c) at place c ^ r, no padding",
         .launch = launch_swizzled},
        {.name = "padded_unchecked", .about = "32 x 33 tile, no bounds checks",
         .launch = launch_unchecked, .rows_multiple = 32, .cols_multiple = 32},
    });
    // clang-format on
}
