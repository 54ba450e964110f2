// expect: inputs-left-out
// mistake: Assign the products of a pair of tiles instead of adding them.
// says: overwrites `sums[i][j]`
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

        // The products of this pair of tiles.
        float part[M][N] = {};
        for (int k = 0; k < DEPTH; k++) {
            float of_a[M], of_b[N];
            for (int i = 0; i < M; i++) of_a[i] = tile_a[y + BLOCK * i][k];
            for (int j = 0; j < N; j++) of_b[j] = tile_b[k][x + BLOCK * j];
            for (int i = 0; i < M; i++) {
                for (int j = 0; j < N; j++) part[i][j] += of_a[i] * of_b[j];
            }
        }
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++) sums[i][j] = part[i][j];  // here
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

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, BLOCK * N), ceil_div(rows, BLOCK * M)},
            .block = {BLOCK, BLOCK}};
}
