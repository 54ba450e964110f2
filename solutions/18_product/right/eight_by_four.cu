// Each thread computes 8 x 4 elements. The 32 lanes of a warp have neighbouring columns.
#include "exercise.h"

constexpr int LANES = 32, WARPS = 8, M = 8, N = 4, DEPTH = 8;
constexpr int HEIGHT = WARPS * M, WIDTH = LANES * N;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float tile_a[HEIGHT][DEPTH], tile_b[DEPTH][WIDTH];
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int top = blockIdx.y * HEIGHT, left = blockIdx.x * WIDTH;
    float sums[M][N] = {};
    for (int first = 0; first < inner; first += DEPTH) {
        for (int at = warp * LANES + lane; at < HEIGHT * DEPTH; at += LANES * WARPS) {
            const int row = top + at / DEPTH, k = first + at % DEPTH;
            tile_a[at / DEPTH][at % DEPTH] = row < rows && k < inner ? a[row * inner + k] : 0;
        }
        for (int k = warp; k < DEPTH; k += WARPS) {
            for (int j = 0; j < N; ++j) {
                const int col = left + lane + LANES * j;
                const bool inside = first + k < inner && col < cols;
                tile_b[k][lane + LANES * j] = inside ? b[(first + k) * cols + col] : 0;
            }
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; ++k) {
            float of_b[N];
            for (int j = 0; j < N; ++j) of_b[j] = tile_b[k][lane + LANES * j];
            for (int i = 0; i < M; ++i) {
                const float of_a = tile_a[M * warp + i][k];
                for (int j = 0; j < N; ++j) sums[i][j] += of_a * of_b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < M; ++i) {
        const int row = top + M * warp + i;
        if (row >= rows) return;
        for (int j = 0; j < N; ++j) {
            const int col = left + lane + LANES * j;
            if (col < cols) out[row * cols + col] = sums[i][j];
        }
    }
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, WIDTH), ceil_div(rows, HEIGHT)}, .block = {LANES, WARPS}};
}
