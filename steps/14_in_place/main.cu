// 14_in_place -- transposes a matrix in its own memory.
//
// Builds on  09_vec4_t64: the same tiles, but `out` is `in`, so each store overwrites an element.
// Idea       Of a square, the tiles (i, j) and (j, i) change places: a block reads both, waits, and
//            stores both. A rectangle has no such pairs; two ways around that follow below.
// Watch      The same 4 sectors a request as 04, both ways, and half of the memory. Of a rectangle
//            every element can be a part of one long cycle, and then order costs more than bytes.
// Next       15_permute turns many small matrices, and arrays of three and four axes.

#include <algorithm>
#include <numeric>

#include "harness/harness.h"

constexpr int TILE_DIM = 32;

//! [kernel]
template <int BLOCK_ROWS>
__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float upper[TILE_DIM][TILE_DIM + 1];
    __shared__ float lower[TILE_DIM][TILE_DIM + 1];

    // A pair has one block: that of its tile above the diagonal.
    if (blockIdx.y > blockIdx.x) return;
    int row = blockIdx.y * TILE_DIM;  // of the upper tile; the lower one is at (col, row)
    int col = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) upper[y][x] = data[(row + y) * side + col + x];
        if (col + y < side && row + x < side) lower[y][x] = data[(col + y) * side + row + x];
    }

    __syncthreads();

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) data[(row + y) * side + col + x] = lower[x][y];
        // On the diagonal both are one tile, which is stored already.
        if (col + y < side && row + x < side && row != col) {
            data[(col + y) * side + row + x] = upper[x][y];
        }
    }
}
//! [kernel]

template <int BLOCK_ROWS>
static void launch_pairs(float* data, const float*, int rows, int cols) {
    dim3 block(TILE_DIM, BLOCK_ROWS);
    dim3 grid(ceil_div(rows, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_in_place<BLOCK_ROWS><<<grid, block>>>(data, nullptr, rows, cols);
}

// ---- the same with 09's registers: 64 x 64 tiles, 16 bytes an access ----

constexpr int PIECES = 16;  // 4 x 4 pieces along a side of a tile

//! [registers]
// Where a turned tile keeps float4 number `quad` of its row `col`: see 09.
__device__ int swizzled(int col, int quad) {
    return col * PIECES + (quad ^ (col / 4 % 8));
}

__global__ void transpose_pairs_registers(float* data, int side) {
    __shared__ float4 turned[2][4 * PIECES * PIECES];

    if (blockIdx.x > blockIdx.y) return;
    int tile_row[2] = {int(blockIdx.x) * 64, int(blockIdx.y) * 64};  // of the upper tile, the lower
    int tile_col[2] = {int(blockIdx.y) * 64, int(blockIdx.x) * 64};

    // Both tiles' loads are under way at the same time.
    float4 piece[2][4];
    for (int which = 0; which < 2; ++which) {
        int row = tile_row[which] + threadIdx.y * 4;
        int col = tile_col[which] + threadIdx.x * 4;
        if (row >= side || col >= side) continue;
        for (int i = 0; i < 4; ++i) {
            piece[which][i] = reinterpret_cast<const float4&>(data[(row + i) * side + col]);
        }
    }
    for (int which = 0; which < 2; ++which) {
        auto [a, b, c, d] = piece[which];
        int col = threadIdx.x * 4, quad = threadIdx.y;
        turned[which][swizzled(col + 0, quad)] = {a.x, b.x, c.x, d.x};
        turned[which][swizzled(col + 1, quad)] = {a.y, b.y, c.y, d.y};
        turned[which][swizzled(col + 2, quad)] = {a.z, b.z, c.z, d.z};
        turned[which][swizzled(col + 3, quad)] = {a.w, b.w, c.w, d.w};
    }

    __syncthreads();

    // The tile that was read at (row, col) is stored at (col, row).
    int stores = blockIdx.x == blockIdx.y ? 1 : 2;
    for (int which = 0; which < stores; ++which) {
        for (int k = 0; k < 64; k += PIECES) {
            int row = tile_col[which] + threadIdx.y + k;
            int col = tile_row[which] + threadIdx.x * 4;
            if (row >= side || col >= side) continue;
            reinterpret_cast<float4&>(data[row * side + col]) =
                turned[which][swizzled(threadIdx.y + k, threadIdx.x)];
        }
    }
}
//! [registers]

static void launch_pairs_registers(float* data, const float*, int rows, int) {
    dim3 grid(ceil_div(rows, 64), ceil_div(rows, 64));
    transpose_pairs_registers<<<grid, dim3(PIECES, PIECES)>>>(data, rows);
}

// ---- any shape, along cycles ----
//
// The element at place k = row * cols + col belongs to place col * rows + row. What was there belongs
// somewhere else, and so on, until one comes back to k: a cycle.

__device__ unsigned place_after(unsigned place, unsigned rows, unsigned cols) {
    return place % cols * rows + place / cols;
}

//! [cycles]
// A thread an element. The smallest place of a cycle leads: it moves all of them. To find out who
// leads, each thread walks its cycle until it meets a smaller place; no memory is needed.
__global__ void follow_cycles(float* data, unsigned rows, unsigned cols) {
    unsigned start = blockIdx.x * blockDim.x + threadIdx.x;
    if (start >= rows * cols) return;
    unsigned place = start;
    do place = place_after(place, rows, cols);
    while (place > start);
    if (place < start) return;

    float carried = data[start];
    do {
        place = place_after(place, rows, cols);
        float next = data[place];
        data[place] = carried;
        carried = next;
    } while (place != start);
}
//! [cycles]

static void launch_cycles(float* data, const float*, int rows, int cols) {
    follow_cycles<<<ceil_div(rows * cols, 256), 256>>>(data, rows, cols);
}

// ---- any shape, rows and columns one after the other ----
//
// After B. Catanzaro, A. Keller, M. Garland, A Decomposition for In-place Matrix Transposition (PPoPP
// 2014). Let c be the greatest common divisor of rows and cols, a = rows / c, b = cols / c. Three
// passes move each element within its column, then its row, then its column. Each line lies in
// shared memory while it is permuted, so no other memory is needed.

// Sum of two numbers below `size`, counted around.
__device__ unsigned around(unsigned one, unsigned other, unsigned size) {
    unsigned sum = one + other;
    return sum < size ? sum : sum - size;
}

//! [rows]
// Each block takes rows. After the first pass, row `row` has in column `col` what came from row
// `row + col / b`, and belongs to place col * rows + that row: column `to`. BACK undoes it.
template <bool BACK>
__global__ void shuffle_rows(float* data, unsigned rows, unsigned cols, unsigned b) {
    extern __shared__ float line[];
    unsigned first = size_t(threadIdx.x) * rows % cols;
    unsigned step = size_t(blockDim.x) * rows % cols;

    for (unsigned row = blockIdx.x; row < rows; row += gridDim.x) {
        float* here = data + size_t(row) * cols;
        unsigned product = first;  // col * rows, counted around
        for (unsigned col = threadIdx.x; col < cols; col += blockDim.x) {
            unsigned to = around(product, around(row, col / b, rows) % cols, cols);
            line[BACK ? col : to] = here[col];
            product = around(product, step, cols);
        }
        __syncthreads();
        product = first;
        for (unsigned col = threadIdx.x; col < cols; col += blockDim.x) {
            unsigned to = around(product, around(row, col / b, rows) % cols, cols);
            here[col] = line[BACK ? to : col];
            product = around(product, step, cols);
        }
        __syncthreads();
    }
}
//! [rows]

//! [columns]
// Each block takes WIDTH columns side by side, so that a sector of 8 floats is used whole. ROTATE is
// the first pass: row `row` gets what is in row `from` = row + col / b. The last pass gets the
// element of place row * cols + col, which the first pass left in row `from`. BACK undoes either.
template <int WIDTH, bool ROTATE, bool BACK>
__global__ void shuffle_columns(float* data, unsigned rows, unsigned cols, unsigned a, unsigned b) {
    extern __shared__ float strip[];  // rows x WIDTH
    unsigned col = blockIdx.x * WIDTH + threadIdx.x;
    bool is_inside = col < cols;
    for (unsigned row = threadIdx.y; row < rows && is_inside; row += blockDim.y) {
        strip[row * WIDTH + threadIdx.x] = data[size_t(row) * cols + col];
    }
    __syncthreads();
    unsigned product = size_t(threadIdx.y) * cols % rows;  // row * cols, counted around
    unsigned step = size_t(blockDim.y) * cols % rows;
    unsigned turn = ROTATE ? col / b : col % rows;
    for (unsigned row = threadIdx.y; row < rows && is_inside; row += blockDim.y) {
        unsigned from = around(row, turn, rows);
        if (!ROTATE) from = around(around(product, turn, rows), rows - row / a, rows);
        unsigned to = BACK ? from : row;
        data[size_t(to) * cols + col] = strip[(BACK ? row : from) * WIDTH + threadIdx.x];
        product = around(product, step, rows);
    }
}
//! [columns]

// A block of an H100 or H200 can have so much shared memory.
constexpr int MOST_SHARED = 227 * 1024;

template <int WIDTH, bool ROTATE, bool BACK>
static void launch_columns(float* data, unsigned rows, unsigned cols, unsigned a, unsigned b) {
    auto kernel = shuffle_columns<WIDTH, ROTATE, BACK>;
    int bytes = rows * WIDTH * sizeof(float);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<ceil_div(cols, WIDTH), dim3(WIDTH, 1024 / WIDTH), bytes>>>(data, rows, cols, a, b);
}

template <bool BACK>
static void launch_rows(float* data, unsigned rows, unsigned cols, unsigned b) {
    int bytes = cols * sizeof(float);
    cudaFuncSetAttribute(shuffle_rows<BACK>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    shuffle_rows<BACK><<<std::min(rows, 8192u), 512, bytes>>>(data, rows, cols, b);
}

// Columns are the shorter side: they lie in shared memory WIDTH at a time. A tall matrix is therefore
// transposed as the way back of its transpose, which is wide.
template <int WIDTH>
static void launch_decomposed(float* data, const float*, int rows, int cols) {
    bool back = rows > cols;
    unsigned tall = std::min(rows, cols), wide = std::max(rows, cols);
    if constexpr (WIDTH > 1) {
        if (tall * WIDTH * sizeof(float) > MOST_SHARED) {
            return launch_decomposed<WIDTH / 2>(data, data, rows, cols);
        }
    }
    unsigned c = std::gcd(tall, wide), a = tall / c, b = wide / c;
    if (back) {
        launch_columns<WIDTH, false, true>(data, tall, wide, a, b);
        launch_rows<true>(data, tall, wide, b);
        if (c > 1) launch_columns<WIDTH, true, true>(data, tall, wide, a, b);
    } else {
        if (c > 1) launch_columns<WIDTH, true, false>(data, tall, wide, a, b);
        launch_rows<false>(data, tall, wide, b);
        launch_columns<WIDTH, false, false>(data, tall, wide, a, b);
    }
}

int main(int argc, char** argv) {
    constexpr int LONGEST = MOST_SHARED / sizeof(float);
    // clang-format off
    return run_step(argc, argv, {
        {.name = "pairs", .about = "pairs of 32 x 32 tiles: 32 x 8 threads",
         .launch = launch_pairs<8>, .produces = in_place(), .square_only = true},
        {.name = "pairs_32x4", .about = "the same by 32 x 4 threads",
         .launch = launch_pairs<4>, .produces = in_place(), .square_only = true},
        {.name = "pairs_registers", .about = "pairs of 64 x 64 tiles, turned in registers: 16 x 16 threads",
         .launch = launch_pairs_registers, .produces = in_place(), .rows_multiple = 4, .cols_multiple = 4,
         .square_only = true},
        {.name = "cycles", .about = "the smallest place of each cycle moves all of it",
         .launch = launch_cycles, .produces = in_place()},
        {.name = "decomposed", .about = "columns, rows, columns: 8 columns of shared memory at a time",
         .launch = launch_decomposed<8>, .produces = in_place(), .longest_side = LONGEST},
        {.name = "decomposed_2", .about = "the same, two columns at a time",
         .launch = launch_decomposed<2>, .produces = in_place(), .longest_side = LONGEST},
    });
    // clang-format on
}
