// 14_in_place -- transposes a matrix in its own memory.
//
// Builds on  10_registers: the same tiles, but `out` is `in`, so each store overwrites an element.
// Idea       Tiles (i, j) and (j, i) of a square are swapped. Rectangles: `cycles`, decomposed.h.
// Watch      A request touches 4 sectors, as in lesson 04, but only half the memory is needed.
// Next       15_permute transposes many small matrices, and arrays of three and four axes.

#include "decomposed.h"

constexpr int TILE_DIM = 32;

//! [kernel]
template <int BLOCK_ROWS>
__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float upper[TILE_DIM][TILE_DIM + 1];
    __shared__ float lower[TILE_DIM][TILE_DIM + 1];

    // The block of the tile above the diagonal handles both tiles of a pair.
    if (blockIdx.y > blockIdx.x) return;
    int row = blockIdx.y * TILE_DIM;  // the upper tile is at (row, col), the lower at (col, row)
    int col = blockIdx.x * TILE_DIM;
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) upper[y][x] = data[(row + y) * side + col + x];
        if (col + y < side && row + x < side) lower[y][x] = data[(col + y) * side + row + x];
    }

    __syncthreads();

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (row + y < side && col + x < side) data[(row + y) * side + col + x] = lower[x][y];
        // On the diagonal, `upper` and `lower` are the same tile, which has already been stored.
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

// ---- the same in registers, as in lesson 10: 64 x 64 tiles, 16 bytes per access ----

constexpr int PIECES = 16;  // 4 x 4 pieces along a side of a tile

//! [registers]
// Returns the index of float4 `quad` of row `col` in a transposed tile, swizzled as in lesson 10.
__device__ int swizzled(int col, int quad) {
    return col * PIECES + (quad ^ (col / 4 % 8));
}

__global__ void transpose_pairs_registers(float* data, int side) {
    __shared__ float4 transposed[2][4 * PIECES * PIECES];

    if (blockIdx.x > blockIdx.y) return;
    int tile_row[2] = {int(blockIdx.x) * 64, int(blockIdx.y) * 64};  // upper tile, lower tile
    int tile_col[2] = {int(blockIdx.y) * 64, int(blockIdx.x) * 64};

    // The loads of both tiles are in flight at the same time.
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
        transposed[which][swizzled(col + 0, quad)] = {a.x, b.x, c.x, d.x};
        transposed[which][swizzled(col + 1, quad)] = {a.y, b.y, c.y, d.y};
        transposed[which][swizzled(col + 2, quad)] = {a.z, b.z, c.z, d.z};
        transposed[which][swizzled(col + 3, quad)] = {a.w, b.w, c.w, d.w};
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
                transposed[which][swizzled(threadIdx.y + k, threadIdx.x)];
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
// The element at position k = row * cols + col moves to position col * rows + row. The element that
// was there moves to another position, and so on, until an element moves to k: a cycle.

__device__ unsigned place_after(unsigned place, unsigned rows, unsigned cols) {
    return place % cols * rows + place / cols;
}

//! [cycles]
// Runs one thread per element. The thread with the smallest position of a cycle moves all of its
// elements, so each thread walks along its cycle until it meets a position smaller than its own.
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

int main(int argc, char** argv) {
    constexpr int LONGEST = MOST_SHARED / sizeof(float);
    // clang-format off
    return run_step(argc, argv, {
        {.name = "pairs", .about = "pairs of 32 x 32 tiles: 32 x 8 threads",
         .launch = launch_pairs<8>, .produces = in_place(), .square_only = true},
        {.name = "pairs_32x4", .about = "the same with 32 x 4 threads",
         .launch = launch_pairs<4>, .produces = in_place(), .square_only = true},
        {.name = "pairs_registers", .about = "pairs of 64 x 64 tiles, transposed in registers: 16 x 16 threads",
         .launch = launch_pairs_registers, .produces = in_place(), .rows_multiple = 4, .cols_multiple = 4,
         .square_only = true},
        {.name = "cycles", .about = "the thread of a cycle's smallest place moves the whole cycle",
         .launch = launch_cycles, .produces = in_place()},
        {.name = "decomposed", .about = "columns, rows, columns: 8 columns of shared memory at a time",
         .launch = launch_decomposed<8>, .produces = in_place(), .longest_side = LONGEST},
        {.name = "decomposed_2", .about = "the same, two columns at a time",
         .launch = launch_decomposed<2>, .produces = in_place(), .longest_side = LONGEST},
    });
    // clang-format on
}
