// 18_product -- multiply two matrices.
//
// Builds on  05_coarsened: tiles in shared memory, and several elements per thread.
// Idea       Each thread computes 4 x 4 elements. It keeps their sums in registers, and uses each
//            value that it reads from shared memory four times.
// Watch      16 multiplications need 8 values from shared memory instead of 32. Each further use of
//            a value makes memory less important, until arithmetic is the limit.
// Next       On your own: tensor cores, or the gradient of a product, which needs a transpose.
#include "harness/harness.h"

constexpr int BLOCK = 16, DEPTH = 16;  // a block has BLOCK x BLOCK threads
//! [kernel]
template <int M, int N>  // each thread computes M x N elements, which are BLOCK apart
__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float tile_a[BLOCK * M][DEPTH], tile_b[DEPTH][BLOCK * N];
    int x = threadIdx.x, y = threadIdx.y, thread = y * BLOCK + x;
    int top = blockIdx.y * BLOCK * M, left = blockIdx.x * BLOCK * N;  // the block's first element
    float sums[M][N] = {};

    for (int first = 0; first < inner; first += DEPTH) {
        // Neighbouring threads load neighbours. Outside of the matrices, the tiles contain 0.
        for (int i = 0; i < M; i++) {
            int at = thread + BLOCK * BLOCK * i, row = at / DEPTH, k = at % DEPTH;
            bool is_inside = top + row < rows && first + k < inner;
            tile_a[row][k] = is_inside ? a[(top + row) * inner + first + k] : 0;
        }
        for (int j = 0; j < N; j++) {
            int at = thread + BLOCK * BLOCK * j, k = at / (BLOCK * N), col = at % (BLOCK * N);
            bool is_inside = first + k < inner && left + col < cols;
            tile_b[k][col] = is_inside ? b[(first + k) * cols + left + col] : 0;
        }
        __syncthreads();

#pragma unroll  // the compiler can then combine reads for neighbouring k
        for (int k = 0; k < DEPTH; k++) {
            float of_a[M], of_b[N];  // M + N values are read for M * N multiplications
            for (int i = 0; i < M; i++) of_a[i] = tile_a[y + BLOCK * i][k];
            for (int j = 0; j < N; j++) of_b[j] = tile_b[k][x + BLOCK * j];
            for (int i = 0; i < M; i++) {
                for (int j = 0; j < N; j++) sums[i][j] += of_a[i] * of_b[j];
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            int row = top + y + BLOCK * i, col = left + x + BLOCK * j;
            if (row < rows && col < cols) out[row * cols + col] = sums[i][j];
        }
    }
}
//! [kernel]

// `in` holds a, which has rows x cols elements, and then b, which has cols x cols.
template <int M, int N>
static void launch(float* out, const float* in, int rows, int cols) {
    const float *a = in, *b = in + rows * cols;
    dim3 grid(ceil_div(cols, BLOCK * N), ceil_div(rows, BLOCK * M));
    product<M, N><<<grid, dim3(BLOCK, BLOCK)>>>(out, a, b, rows, cols, cols);
}

//! [naive]
template <bool IS_COALESCED>
__global__ void product_naive(float* out, const float* a, const float* b, int rows, int cols,
                              int inner) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int row = IS_COALESCED ? y : x, col = IS_COALESCED ? x : y;
    if (row >= rows || col >= cols) return;

    float sum = 0;
    for (int k = 0; k < inner; k++) {
        sum += a[row * inner + k] * b[k * cols + col];
    }
    out[row * cols + col] = sum;
}
//! [naive]

template <bool IS_COALESCED>
static void launch_naive(float* out, const float* in, int rows, int cols) {
    const float *a = in, *b = in + rows * cols;
    int along_x = IS_COALESCED ? cols : rows, along_y = IS_COALESCED ? rows : cols;
    dim3 grid(ceil_div(along_x, 32), ceil_div(along_y, 8));
    product_naive<IS_COALESCED><<<grid, dim3(32, 8)>>>(out, a, b, rows, cols, cols);
}

// Each thread computes 8 x 8 elements, in four pieces of 4 x 4. Each access moves 16 bytes.
constexpr int WIDE = 128, HALF = WIDE / 2, LOADS = WIDE * DEPTH / 4 / (BLOCK * BLOCK);

// What a thread reads of the next two tiles.
struct Quads {
    float4 a[LOADS], b[LOADS];
};

//! [load]
__device__ Quads load_quads(const float* a, const float* b, int rows, int cols, int inner,
                            int first) {
    Quads quads;
    int thread = threadIdx.y * BLOCK + threadIdx.x;
    for (int i = 0; i < LOADS; i++) {
        // Four lanes read a row of the tile of a, and a whole warp reads a row of the tile of b.
        int row = blockIdx.y * WIDE + thread / 4 + HALF * i, k = first + thread % 4 * 4;
        bool is_inside = row < rows && k < inner;
        quads.a[i] = is_inside ? *reinterpret_cast<const float4*>(&a[row * inner + k]) : float4{};

        k = first + thread / 32 + 8 * i;
        int col = blockIdx.x * WIDE + thread % 32 * 4;
        is_inside = k < inner && col < cols;
        quads.b[i] = is_inside ? *reinterpret_cast<const float4*>(&b[k * cols + col]) : float4{};
    }
    return quads;
}
//! [load]

//! [vec4]
template <int PADDING, bool IS_AHEAD>
__global__ void product_vec4(float* out, const float* a, const float* b, int rows, int cols,
                             int inner) {
    __shared__ __align__(16) float tile_a[DEPTH][WIDE + PADDING];  // transposed
    __shared__ __align__(16) float tile_b[DEPTH][WIDE];
    int x = threadIdx.x, y = threadIdx.y, thread = y * BLOCK + x;
    float sums[8][8] = {};

    Quads next = load_quads(a, b, rows, cols, inner, 0);
    for (int first = 0; first < inner; first += DEPTH) {
        for (int i = 0; i < LOADS; i++) {
            int row = thread / 4 + HALF * i, k = thread % 4 * 4;
            tile_a[k + 0][row] = next.a[i].x;
            tile_a[k + 1][row] = next.a[i].y;
            tile_a[k + 2][row] = next.a[i].z;
            tile_a[k + 3][row] = next.a[i].w;
            *reinterpret_cast<float4*>(&tile_b[thread / 32 + 8 * i][thread % 32 * 4]) = next.b[i];
        }
        __syncthreads();

        // If IS_AHEAD, the next loads are in flight during the multiplications.
        if (IS_AHEAD) next = load_quads(a, b, rows, cols, inner, first + DEPTH);
        for (int k = 0; k < DEPTH; k++) {
            __align__(16) float of_a[8], of_b[8];
            for (int half = 0; half < 2; half++) {
                *reinterpret_cast<float4*>(&of_a[4 * half]) =
                    *reinterpret_cast<float4*>(&tile_a[k][HALF * half + 4 * y]);
                *reinterpret_cast<float4*>(&of_b[4 * half]) =
                    *reinterpret_cast<float4*>(&tile_b[k][HALF * half + 4 * x]);
            }
            for (int i = 0; i < 8; i++) {
                for (int j = 0; j < 8; j++) sums[i][j] += of_a[i] * of_b[j];
            }
        }
        __syncthreads();
        if (!IS_AHEAD) next = load_quads(a, b, rows, cols, inner, first + DEPTH);
    }

    for (int i = 0; i < 8; i++) {
        int row = blockIdx.y * WIDE + i / 4 * HALF + 4 * y + i % 4;
        for (int j = 0; j < 8; j += 4) {
            int col = blockIdx.x * WIDE + j / 4 * HALF + 4 * x;
            if (row < rows && col < cols) {
                *reinterpret_cast<float4*>(&out[row * cols + col]) =
                    make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
            }
        }
    }
}
//! [vec4]

template <int PADDING, bool IS_AHEAD>
static void launch_vec4(float* out, const float* in, int rows, int cols) {
    const float *a = in, *b = in + rows * cols;
    dim3 grid(ceil_div(cols, WIDE), ceil_div(rows, WIDE)), block(BLOCK, BLOCK);
    product_vec4<PADDING, IS_AHEAD><<<grid, block>>>(out, a, b, rows, cols, cols);
}

// ---- the expected output ----

static void multiply_row(const float* in, int rows, int cols, int row, double* out) {
    const float* a = in + static_cast<size_t>(row) * cols;
    const float* b = in + static_cast<size_t>(rows) * cols;
    for (int col = 0; col < cols; col++) out[col] = 0;
    for (int k = 0; k < cols; k++) {
        const float* row_of_b = b + static_cast<size_t>(k) * cols;
        for (int col = 0; col < cols; col++) out[col] += double{a[k]} * row_of_b[col];
    }
}

int main(int argc, char** argv) {
    // The work grows with the third power of the side, so the matrices are smaller than elsewhere.
    // Sums of 4096 products differ in the sixth digit, depending on their order.
    constexpr Produces products = computed({.row = multiply_row,
                                            .out_cols = Computation::cols,
                                            .second_rows = Computation::cols,
                                            .tolerance = 5e-5,
                                            .longest_side = 4096,
                                            .counted_side = 256});
    // clang-format off
    return run_step(argc, argv, {
        {.name = "registers", .about = "4 x 4 elements per thread, in registers",
         .launch = launch<4, 4>, .produces = products},
        {.name = "naive", .about = "one thread per element, coalesced",
         .launch = launch_naive<true>, .produces = products},
        {.name = "naive_rows", .about = "one thread per element, neighbours in different rows",
         .launch = launch_naive<false>, .produces = products},
        {.name = "tiled", .about = "one element per thread, 16 x 16 tiles in shared memory",
         .launch = launch<1, 1>, .produces = products},
        {.name = "column", .about = "4 elements of a column per thread",
         .launch = launch<4, 1>, .produces = products},
        {.name = "registers_8x8", .about = "8 x 8 elements per thread",
         .launch = launch<8, 8>, .produces = products},
        {.name = "vec4", .about = "8 x 8 elements per thread, accesses of 16 bytes, padded",
         .launch = launch_vec4<4, false>, .produces = products, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "vec4_unpadded", .about = "the same without padding",
         .launch = launch_vec4<0, false>, .produces = products, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "in_flight", .about = "vec4, with the next tiles in flight",
         .launch = launch_vec4<4, true>, .produces = products, .rows_multiple = 4, .cols_multiple = 4},
    });
    // clang-format on
}
