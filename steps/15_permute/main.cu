// 15_permute -- many small matrices, and arrays of three and four axes.
//
// Builds on  14_in_place: back to two buffers. There are many matrices, each with its own tiles.
// Idea       A tile spans the last axes of `in` and of `out`. The other axes select a matrix.
// Watch      Full tiles touch as many sectors per request as the tiles of one large matrix.
// Next       16_many_gpus transposes a matrix that is too large for any single GPU.

#include "planes.h"
#include "whole.h"

constexpr int TILE_DIM = 32, BLOCK_ROWS = 4, MATRIX_ROWS = 64;

//! [kernel]
// blockIdx.z counts the matrices: MATRIX_ROWS x cols in `in`, cols x MATRIX_ROWS in `out`.
__global__ void transpose_stack(float* out, const float* in, int, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    in += blockIdx.z * MATRIX_ROWS * cols;
    out += blockIdx.z * MATRIX_ROWS * cols;

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < MATRIX_ROWS && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < MATRIX_ROWS && col + k < cols) {
            out[(col + k) * MATRIX_ROWS + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
//! [kernel]

static void launch_stack(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(MATRIX_ROWS, TILE_DIM), rows / MATRIX_ROWS);
    transpose_stack<<<grid, block>>>(out, in, rows, cols);
}

// ---- matrices of any size, at any address: planes.h ----

//! [tiles]
__global__ void transpose_planes(float* out, const float* in, Planes planes) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // The grid has only an x axis, because only x is long enough for all tiles of all matrices.
    unsigned down = planes.down(TILE_DIM), across = planes.across(TILE_DIM);
    unsigned tile_row = blockIdx.x % down * TILE_DIM;
    unsigned tile_col = blockIdx.x / down % across * TILE_DIM;
    go_to_matrix(out, in, planes, blockIdx.x / down / across);

    int row = tile_row + threadIdx.y, col = tile_col + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < planes.rows && col < planes.cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * planes.in_pitch + col];
        }
    }

    __syncthreads();

    row = tile_row + threadIdx.x, col = tile_col + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < planes.rows && col + k < planes.cols) {
            out[(col + k) * planes.out_pitch + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
//! [tiles]

static void launch_tiles(float* out, const float* in, const Planes& planes) {
    unsigned tiles = planes.down(TILE_DIM) * planes.across(TILE_DIM) * planes.matrices();
    transpose_planes<<<tiles, dim3(TILE_DIM, BLOCK_ROWS)>>>(out, in, planes);
}

// ---- 16 bytes per access: 4 x 4 pieces transposed in registers, as in lesson 10 ----

//! [registers]
// Returns the index of float4 `quad` of row `col` in a transposed tile, swizzled as in lesson 10.
template <int QUADS>
__device__ int swizzled(int col, int quad) {
    return col * QUADS + (quad ^ (col / 4 % 8));
}

// Transposes tiles of TILE_ROWS x TILE_COLS with a 4 x 4 piece per thread.
template <int TILE_ROWS, int TILE_COLS>
__global__ void transpose_planes_registers(float* out, const float* in, Planes planes) {
    constexpr int QUADS = TILE_ROWS / 4;   // float4s in a row of the transposed tile
    constexpr int ACROSS = TILE_COLS / 4;  // pieces across a tile
    constexpr int THREADS = QUADS * ACROSS;
    __shared__ float4 transposed[TILE_COLS * QUADS];

    unsigned down = planes.down(TILE_ROWS), across = planes.across(TILE_COLS);
    int tile_row = blockIdx.x % down * TILE_ROWS;
    int tile_col = blockIdx.x / down % across * TILE_COLS;
    go_to_matrix(out, in, planes, blockIdx.x / down / across);

    int quad = threadIdx.x / ACROSS, first_col = threadIdx.x % ACROSS * 4;
    int row = tile_row + quad * 4, col = tile_col + first_col;
    if (row < planes.rows && col < planes.cols) {
        float4 a = reinterpret_cast<const float4&>(in[(row + 0) * planes.in_pitch + col]);
        float4 b = reinterpret_cast<const float4&>(in[(row + 1) * planes.in_pitch + col]);
        float4 c = reinterpret_cast<const float4&>(in[(row + 2) * planes.in_pitch + col]);
        float4 d = reinterpret_cast<const float4&>(in[(row + 3) * planes.in_pitch + col]);
        transposed[swizzled<QUADS>(first_col + 0, quad)] = make_float4(a.x, b.x, c.x, d.x);
        transposed[swizzled<QUADS>(first_col + 1, quad)] = make_float4(a.y, b.y, c.y, d.y);
        transposed[swizzled<QUADS>(first_col + 2, quad)] = make_float4(a.z, b.z, c.z, d.z);
        transposed[swizzled<QUADS>(first_col + 3, quad)] = make_float4(a.w, b.w, c.w, d.w);
    }

    __syncthreads();

    for (int k = 0; k < 4; ++k) {
        int place = threadIdx.x + k * THREADS;
        row = tile_row + place % QUADS * 4, col = tile_col + place / QUADS;
        if (row < planes.rows && col < planes.cols) {
            reinterpret_cast<float4&>(out[col * planes.out_pitch + row]) =
                transposed[swizzled<QUADS>(place / QUADS, place % QUADS)];
        }
    }
}
//! [registers]

template <int TILE_ROWS, int TILE_COLS>
static void launch_registers(float* out, const float* in, const Planes& planes) {
    unsigned tiles = planes.down(TILE_ROWS) * planes.across(TILE_COLS) * planes.matrices();
    transpose_planes_registers<TILE_ROWS, TILE_COLS>
        <<<tiles, TILE_ROWS * TILE_COLS / 16>>>(out, in, planes);
}

// ---- the last axis stays last: whole rows are moved ----

//! [copy]
template <class Vector>
__global__ void copy_rows(float* out, const float* in, Planes planes) {
    constexpr int FLOATS = sizeof(Vector) / sizeof(float);
    const unsigned per_row = planes.cols / FLOATS;
    unsigned place = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = place / per_row, col = place % per_row * FLOATS;
    unsigned matrix = row / planes.rows;
    if (matrix >= planes.matrices()) return;
    row %= planes.rows;
    go_to_matrix(out, in, planes, matrix);
    reinterpret_cast<Vector&>(out[row * planes.out_pitch + col]) =
        reinterpret_cast<const Vector&>(in[row * planes.in_pitch + col]);
}
//! [copy]

template <class Vector>
static void launch_copy(float* out, const float* in, const Planes& planes) {
    unsigned vectors =
        planes.matrices() * planes.rows * (planes.cols * sizeof(float) / sizeof(Vector));
    copy_rows<Vector><<<ceil_div(vectors, 256), 256>>>(out, in, planes);
}

//! [permute]
static void permute(float* out, const float* in, const Permutation& permutation) {
    const Permutation axes = merged(permutation);
    const Planes planes = planes_of(axes);
    const bool is_copy = axes.rank < 2 || axes.order[axes.rank - 1] == axes.rank - 1;
    const bool is_wide = is_multiple_of_4(planes) && (is_copy || planes.rows % 4 == 0);
    if (is_copy && is_wide) return launch_copy<float4>(out, in, planes);
    if (is_copy) return launch_copy<float>(out, in, planes);
    if (!is_wide) return launch_tiles(out, in, planes);
    if (are_small(planes)) return launch_whole(out, in, planes);
    if (planes.cols <= 32) return launch_registers<32, 32>(out, in, planes);
    if (planes.cols % 64 != 0) return launch_registers<64, 32>(out, in, planes);
    if (planes.rows <= 32) return launch_registers<32, 64>(out, in, planes);
    launch_registers<64, 64>(out, in, planes);
}
//! [permute]

template <void (*launch)(float* out, const float* in, const Planes& planes)>
static void with(float* out, const float* in, const Permutation& permutation) {
    launch(out, in, planes_of(permutation));
}

constexpr Produces permuted(int rank, std::array<int, 4> extents, std::array<int, 4> order) {
    return {.kind = Produces::permuted, .permutation = {rank, extents, order}};
}

int main(int argc, char** argv) {
    // An extent of 0 is computed from the number of elements.
    constexpr Produces BATCH = permuted(3, {0, 64, 96}, {0, 2, 1});
    constexpr Produces TINY = permuted(3, {0, 16, 16}, {0, 2, 1});
    constexpr Produces TO_NHWC = permuted(4, {0, 64, 56, 56}, {0, 2, 3, 1});
    constexpr Produces TO_NCHW = permuted(4, {0, 56, 56, 64}, {0, 3, 1, 2});
    // clang-format off
    return run_step(argc, argv, {
        {.name = "stack", .about = "a stack of matrices of 64 rows: 32 x 32 tiles, 32 x 4 threads",
         .launch = launch_stack, .produces = stack_of(MATRIX_ROWS), .rows_multiple = MATRIX_ROWS},
        {.name = "batch", .about = "a stack of 64 x 96 matrices, with pitches and steps",
         .produces = BATCH, .permute = with<launch_tiles>},
        {.name = "batch_registers", .about = "the same in 64 x 32 tiles, transposed in registers: 128 threads",
         .produces = BATCH, .rows_multiple = 4, .cols_multiple = 4, .permute = with<launch_registers<64, 32>>},
        {.name = "tiny", .about = "matrices of 16 x 16 in tiles of 32 x 32",
         .produces = TINY, .permute = with<launch_tiles>},
        {.name = "tiny_whole", .about = "the same, 16 whole matrices per block",
         .produces = TINY, .rows_multiple = 4, .cols_multiple = 4, .permute = permute},
        {.name = "nchw_to_nhwc", .about = "images of 64 channels, 56 x 56",
         .produces = TO_NHWC, .permute = permute},
        {.name = "nhwc_to_nchw", .about = "and back",
         .produces = TO_NCHW, .permute = permute},
        {.name = "heads", .about = "0 2 1 3 of n x 128 x 16 x 64: rows of 64 change places",
         .produces = permuted(4, {0, 128, 16, 64}, {0, 2, 1, 3}), .permute = permute},
        {.name = "reversed_3", .about = "2 1 0 of n x 64 x 64",
         .produces = permuted(3, {0, 64, 64}, {2, 1, 0}), .permute = permute},
        {.name = "reversed_4", .about = "3 2 1 0 of n x 32 x 32 x 32",
         .produces = permuted(4, {0, 32, 32, 32}, {3, 2, 1, 0}), .permute = permute},
    });
    // clang-format on
}
