// expect: no-bounds-check
// mistake: The stores have no check.
// says: compare the row with rows
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
            out[row * cols + col] = sums[i][j];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, BLOCK * N), ceil_div(rows, BLOCK * M)},
            .block = {BLOCK, BLOCK}};
}
