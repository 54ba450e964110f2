// 09_vec4_t64 -- a 64 x 64 tile, moved by float4.
//
// Builds on  08_vec4: the kernel is the same to the letter. Only the launch changes.
// Idea       A row of the tile is 256 bytes, so memory is read and written in longer runs, and a
//            quarter as many blocks start.
// Watch      Still 16 sectors a request, but each shared access now takes 2 wavefronts: 16 lanes
//            4 banks apart are 64 banks, and there are 32. The last kernel here has none of them.
// Next       11_any_shape: the same for matrices of any shape and elements of any size.

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

    // Lanes now walk down a column of the tile, four rows at a time.
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

// The kernel takes 16-byte steps: a block is TILE_DIM / 4 threads wide.
template <int TILE_DIM, int BLOCK_ROWS>
static void launch(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM / 4, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_vec4<TILE_DIM, BLOCK_ROWS><<<grid, block>>>(out, in, rows, cols);
}

// ---- float2: 07's kernel with a 64 x 64 tile ----

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

    // Lanes now walk down a column of the tile, two rows at a time.
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

// ---- the fastest: turned in registers ----
//
// A thread reads 4 x 4 pieces of the matrix, turns them in its registers, and puts their columns
// into shared memory as float4. So shared memory too is used 16 bytes at a time, in both
// directions. The tile is TILE_ROWS tall and 64 columns wide; tall tiles make long runs in `out`.

constexpr int TILE_COLS = 64;
constexpr int BLOCK_COLS = TILE_COLS / 4;

//! [registers]
// Where the turned tile keeps float4 number `quad` of its row `col` (a column of `in`). The 8
// threads that store together have `col` 4 apart and one `quad`: exchanging the float4s of a row,
// differently in each such row, gives each thread banks of its own, and costs no memory as padding
// does.
template <int QUADS>
__device__ unsigned swizzled(unsigned col, unsigned quad) {
    return col * QUADS + (quad ^ (col / 4 % 8));
}

template <int TILE_ROWS, int BLOCK_ROWS>
__global__ void transpose_registers(float* out, const float* in, int rows, int cols) {
    constexpr int QUADS = TILE_ROWS / 4;  // float4s in a row of the turned tile
    constexpr int PIECES = QUADS / BLOCK_ROWS;
    constexpr int ROUND_ROWS = BLOCK_COLS * BLOCK_ROWS / QUADS;
    constexpr int ROUNDS = TILE_COLS / ROUND_ROWS;
    static_assert(QUADS % 8 == 0, "swizzling exchanges float4s within groups of 8");
    extern __shared__ float4 tile[];  // TILE_COLS x QUADS

    // blockIdx.x runs down the rows: column-major order.
    int tile_row = blockIdx.x * TILE_ROWS;
    int tile_col = blockIdx.y * TILE_COLS;

    // All loads first, so that all are under way at the same time.
    int col = tile_col + threadIdx.x * 4;
    float4 piece[PIECES][4];
    for (int k = 0; k < PIECES; ++k) {
        int row = tile_row + (threadIdx.y + k * BLOCK_ROWS) * 4;
        if (row < rows && col < cols) {
            for (int i = 0; i < 4; ++i) {
                piece[k][i] = reinterpret_cast<const float4&>(in[(row + i) * cols + col]);
            }
        }
    }

    for (int k = 0; k < PIECES; ++k) {
        auto [a, b, c, d] = piece[k];
        int quad = threadIdx.y + k * BLOCK_ROWS;
        tile[swizzled<QUADS>(threadIdx.x * 4 + 0, quad)] = {a.x, b.x, c.x, d.x};
        tile[swizzled<QUADS>(threadIdx.x * 4 + 1, quad)] = {a.y, b.y, c.y, d.y};
        tile[swizzled<QUADS>(threadIdx.x * 4 + 2, quad)] = {a.z, b.z, c.z, d.z};
        tile[swizzled<QUADS>(threadIdx.x * 4 + 3, quad)] = {a.w, b.w, c.w, d.w};
    }

    __syncthreads();

    // Lanes now walk along the rows of the turned tile, which are rows of `out`.
    int thread = threadIdx.y * BLOCK_COLS + threadIdx.x;
    int quad = thread % QUADS;
    int turned_row = thread / QUADS;
    int row = tile_row + quad * 4;
    col = tile_col + turned_row;
    float4 turned[ROUNDS];
    for (int k = 0; k < ROUNDS; ++k) {
        if (row < rows && col + k * ROUND_ROWS < cols) {
            turned[k] = tile[swizzled<QUADS>(turned_row + k * ROUND_ROWS, quad)];
        }
    }
    for (int k = 0; k < ROUNDS; ++k) {
        if (row < rows && col + k * ROUND_ROWS < cols) {
            reinterpret_cast<float4&>(out[(col + k * ROUND_ROWS) * rows + row]) = turned[k];
        }
    }
}
//! [registers]

template <int TILE_ROWS, int BLOCK_ROWS>
static void launch_registers(float* out, const float* in, int rows, int cols) {
    dim3 block(BLOCK_COLS, BLOCK_ROWS);
    dim3 grid(ceil_div(rows, TILE_ROWS), ceil_div(cols, TILE_COLS));
    int bytes = TILE_ROWS * TILE_COLS * sizeof(float);
    // More than 48 KiB of shared memory is given on request only.
    cudaFuncSetAttribute(transpose_registers<TILE_ROWS, BLOCK_ROWS>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    transpose_registers<TILE_ROWS, BLOCK_ROWS><<<grid, block, bytes>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "vec4_t64", .about = "four float4 a thread: 16 x 16 threads",
         .launch = launch<64, 16>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec4_t64_x1", .about = "one float4 a thread: 16 x 64 threads",
         .launch = launch<64, 64>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec4_t64_x2", .about = "two float4 a thread: 16 x 32 threads",
         .launch = launch<64, 32>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec2_t64_x1", .about = "float2: 32 x 32 threads, the largest block; 2 float2 a thread",
         .launch = launch_vec2<64, 32>, .rows_multiple = 2, .cols_multiple = 2},
        {.name = "vec2_t64_x2", .about = "float2: 32 x 16 threads",
         .launch = launch_vec2<64, 16>, .rows_multiple = 2, .cols_multiple = 2},
        {.name = "vec2_t64_x4", .about = "float2: 32 x 8 threads",
         .launch = launch_vec2<64, 8>, .rows_multiple = 2, .cols_multiple = 2},
        {.name = "registers_64", .about = "4 x 4 in registers, swizzled tile of 64 rows, 256 threads",
         .launch = launch_registers<64, 16>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "registers_128", .about = "4 x 4 in registers, swizzled tile of 128 rows, 512 threads",
         .launch = launch_registers<128, 32>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "registers_256", .about = "4 x 4 in registers, swizzled tile of 256 rows, 512 threads",
         .launch = launch_registers<256, 32>, .rows_multiple = 4, .cols_multiple = 4},
    });
    // clang-format on
}
