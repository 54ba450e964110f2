// Exercise 18_product -- multiply two matrices, with 4 x 4 sums in the registers of each thread.
//
// Given   a block of 16 x 16 threads for a tile of 64 x 64 elements, the loop over pairs of tiles,
//         and the loads of both tiles.
// Write   the multiplications of one pair of tiles, and the stores (15 lines). In x_product, a
//         thread computes one element and reads two values for each multiplication. Here it
//         computes 16, and should read half a value for each.
// Check   ./learn check 18          Stuck?   ./learn hint 18
#include "exercise.h"  // Launch, ceil_div

constexpr int BLOCK = 16, DEPTH = 16;  // a block has BLOCK x BLOCK threads
constexpr int M = 4, N = 4;            // each thread computes M x N elements

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

        // TODO: for each k of this pair of tiles, read M values of tile_a and N values of tile_b,
        // and add their M * N products to `sums`. Which columns should the lanes of a warp read?
        __syncthreads();
    }

    // TODO: store `sums`.
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, BLOCK * N), ceil_div(rows, BLOCK * M)},
            .block = {BLOCK, BLOCK}};
}
