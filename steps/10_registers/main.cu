// 10_registers -- 4 x 4 pieces, transposed in registers; then the last percent: channels and caches.
//
// Builds on  09_vec4_t64: the same tile, but it is written and read with 16 bytes per lane.
// Idea       A thread transposes 4 x 4 floats in its registers, so it can store them as float4s.
// Watch      The swizzled tile has no bank conflicts, and a quarter of lesson 09's shared requests.
// Next       11_any_shape: matrices of any shape, and elements of any size.

#include "harness/harness.h"

//! [kernel]
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4;  // a quad is a float4
template <int ROW = QUADS>
__device__ unsigned swizzled(unsigned col, unsigned quad);

__global__ void transpose_registers(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * QUADS];  // transposed: each row is a column of `in`

    // blockIdx.x counts tiles down the matrix, so the blocks run in column-major order.
    int col = blockIdx.y * TILE_DIM + threadIdx.x * 4;
    int row = blockIdx.x * TILE_DIM + threadIdx.y * 4;
    if (row < rows && col < cols) {
        float4 a = reinterpret_cast<const float4&>(in[(row + 0) * cols + col]);
        float4 b = reinterpret_cast<const float4&>(in[(row + 1) * cols + col]);
        float4 c = reinterpret_cast<const float4&>(in[(row + 2) * cols + col]);
        float4 d = reinterpret_cast<const float4&>(in[(row + 3) * cols + col]);
        tile[swizzled(threadIdx.x * 4 + 0, threadIdx.y)] = {a.x, b.x, c.x, d.x};
        tile[swizzled(threadIdx.x * 4 + 1, threadIdx.y)] = {a.y, b.y, c.y, d.y};
        tile[swizzled(threadIdx.x * 4 + 2, threadIdx.y)] = {a.z, b.z, c.z, d.z};
        tile[swizzled(threadIdx.x * 4 + 3, threadIdx.y)] = {a.w, b.w, c.w, d.w};
    }

    __syncthreads();

    // The lanes of a warp now read along rows of the transposed tile, which are rows of `out`.
    col = blockIdx.y * TILE_DIM + threadIdx.y;
    row = blockIdx.x * TILE_DIM + threadIdx.x * 4;
    for (int k = 0; k < TILE_DIM; k += QUADS) {
        if (row < rows && col + k < cols) {
            float4 v = tile[swizzled(threadIdx.y + k, threadIdx.x)];
            reinterpret_cast<float4&>(out[(col + k) * rows + row]) = v;
        }
    }
}

// Returns the index of float4 `quad` of row `col` in the transposed tile, which has ROW quads per
// row. The 8 threads that store together have the same `quad`, in rows that are 4 apart. Each of
// these rows permutes its quads differently, so that the threads use different banks. Unlike
// padding, this costs no memory.
template <int ROW>
__device__ unsigned swizzled(unsigned col, unsigned quad) {
    return col * ROW + (quad ^ (col / 4 % 8));
}
//! [kernel]

static void launch(float* out, const float* in, int rows, int cols) {
    dim3 grid(ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM));
    transpose_registers<<<grid, dim3(QUADS, QUADS)>>>(out, in, rows, cols);
}

// ---- tall tiles: longer runs in `out` ----
//
// The tile is TILE_ROWS tall and 64 columns wide. A thread has one or more pieces, and loads all of
// them before it uses the first.

constexpr int TILE_COLS = 64;
constexpr int BLOCK_COLS = TILE_COLS / 4;

//! [tall]
template <int TILE_ROWS, int BLOCK_ROWS>
__global__ void transpose_tall(float* out, const float* in, int rows, int cols) {
    constexpr int ROW = TILE_ROWS / 4;  // quads in a row of the transposed tile
    constexpr int PIECES = ROW / BLOCK_ROWS;
    constexpr int ROUND_ROWS = BLOCK_COLS * BLOCK_ROWS / ROW;
    constexpr int ROUNDS = TILE_COLS / ROUND_ROWS;
    static_assert(ROW % 8 == 0, "swizzling exchanges quads within groups of 8");
    extern __shared__ float4 tile[];  // TILE_COLS x ROW

    // blockIdx.x counts tiles down the matrix, so the blocks run in column-major order.
    int tile_row = blockIdx.x * TILE_ROWS;
    int tile_col = blockIdx.y * TILE_COLS;

    // All loads come first, so that all of them are in flight at the same time.
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
        tile[swizzled<ROW>(threadIdx.x * 4 + 0, quad)] = {a.x, b.x, c.x, d.x};
        tile[swizzled<ROW>(threadIdx.x * 4 + 1, quad)] = {a.y, b.y, c.y, d.y};
        tile[swizzled<ROW>(threadIdx.x * 4 + 2, quad)] = {a.z, b.z, c.z, d.z};
        tile[swizzled<ROW>(threadIdx.x * 4 + 3, quad)] = {a.w, b.w, c.w, d.w};
    }

    __syncthreads();

    // The lanes of a warp now read along rows of the transposed tile, which are rows of `out`.
    int thread = threadIdx.y * BLOCK_COLS + threadIdx.x;
    int quad = thread % ROW;
    int transposed_row = thread / ROW;
    int row = tile_row + quad * 4;
    col = tile_col + transposed_row;
    float4 transposed[ROUNDS];
    for (int k = 0; k < ROUNDS; ++k) {
        if (row < rows && col + k * ROUND_ROWS < cols) {
            transposed[k] = tile[swizzled<ROW>(transposed_row + k * ROUND_ROWS, quad)];
        }
    }
    for (int k = 0; k < ROUNDS; ++k) {
        if (row < rows && col + k * ROUND_ROWS < cols) {
            reinterpret_cast<float4&>(out[(col + k * ROUND_ROWS) * rows + row]) = transposed[k];
        }
    }
}
//! [tall]

template <int TILE_ROWS, int BLOCK_ROWS>
static void launch_tall(float* out, const float* in, int rows, int cols) {
    dim3 block(BLOCK_COLS, BLOCK_ROWS);
    dim3 grid(ceil_div(rows, TILE_ROWS), ceil_div(cols, TILE_COLS));
    int bytes = TILE_ROWS * TILE_COLS * sizeof(float);
    // A block gets more than 48 KiB of shared memory only on request.
    cudaFuncSetAttribute(transpose_tall<TILE_ROWS, BLOCK_ROWS>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    transpose_tall<TILE_ROWS, BLOCK_ROWS><<<grid, block, bytes>>>(out, in, rows, cols);
}

// ---- the last percent: cache lines that stay in L2, and strips 8 KB apart ----
//
// The tile keeps the order of `in`, and is transposed when it is read. A thread needs few registers
// for that, so four blocks fit on a multiprocessor. Each thread has two loads in flight.

//! [raw]
// Loads a float4. STAY asks the L2 cache to evict its cache line last.
template <bool STAY>
__device__ float4 load(const float4& from) {
    if constexpr (STAY) {
        float4 v;
        asm volatile(
            "{ .reg .b64 policy;\n"
            "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
            "ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], policy; }"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
            : "l"(__cvta_generic_to_global(&from)));
        return v;
    }
    return from;
}

// Returns the strip of tiles that is processed at position n: 0, 32, 1, 33, and so on, in groups of
// 64. Strips in an incomplete group keep their order.
__device__ int strip_apart(int n, int strips) {
    return (n | 63) >= strips ? n : (n & ~63) | (n & 1) << 5 | (n & 63) >> 1;
}

template <bool STAY, bool APART>
__global__ void transpose_raw(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * QUADS];

    int strip = APART ? strip_apart(blockIdx.y, gridDim.y) : blockIdx.y;
    int col = strip * TILE_DIM + threadIdx.x * 4;
    int row = blockIdx.x * TILE_DIM + threadIdx.y;
    int y = threadIdx.y;
    float4 near = {}, far = {};
    if (row < rows && col < cols) {
        near = load<STAY>(reinterpret_cast<const float4&>(in[row * cols + col]));
    }
    if (row + 32 < rows && col < cols) {
        far = load<STAY>(reinterpret_cast<const float4&>(in[(row + 32) * cols + col]));
    }
    tile[swizzled(y, threadIdx.x)] = near;
    tile[swizzled(y + 32, threadIdx.x)] = far;

    __syncthreads();

    // A thread reads four rows of two columns, and stores one float4 for each column.
    int x = threadIdx.y * 2;
    float2 pair[4];
    for (int i = 0; i < 4; ++i) {
        const float4& quad = tile[swizzled(threadIdx.x * 4 + i, x / 4)];
        pair[i] = reinterpret_cast<const float2*>(&quad)[x % 4 / 2];
    }
    col = strip * TILE_DIM + x;
    row = blockIdx.x * TILE_DIM + threadIdx.x * 4;
    if (row < rows && col < cols) {
        auto [a, b, c, d] = pair;
        reinterpret_cast<float4&>(out[col * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
    }
}
//! [raw]

template <bool STAY, bool APART>
static void launch_raw(float* out, const float* in, int rows, int cols) {
    dim3 grid(ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM));
    transpose_raw<STAY, APART><<<grid, dim3(QUADS, 32)>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "raw_stay_apart", .about = "a tile of 64 x 64, loads that stay, strips apart: the fastest of all",
         .launch = launch_raw<true, true>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "registers_128", .about = "a tile of 128 rows, 512 threads",
         .launch = launch_tall<128, 32>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "registers", .about = "a 4 x 4 piece per thread, a tile of 64 x 64, 256 threads",
         .launch = launch, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "registers_64", .about = "the same tile, moved by the kernel for tall tiles",
         .launch = launch_tall<64, 16>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "registers_256", .about = "a tile of 256 rows, 512 threads, two pieces per thread",
         .launch = launch_tall<256, 32>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "raw", .about = "a tile of 64 x 64 in the order of `in`, 512 threads",
         .launch = launch_raw<false, false>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "stay", .about = "the same, with loads that stay in the second-level cache",
         .launch = launch_raw<true, false>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "apart", .about = "the same as raw, with strips of tiles 8 KB apart",
         .launch = launch_raw<false, true>, .rows_multiple = 4, .cols_multiple = 4},
    });
    // clang-format on
}
