// Each thread computes 8 x 8 elements of a tile of 128 x 128.
#include "exercise.h"

constexpr int BLOCK = 16, EACH = 8, TILE = BLOCK * EACH, DEPTH = 8;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float tile_a[TILE][DEPTH + 1], tile_b[DEPTH][TILE];
    int x = threadIdx.x, y = threadIdx.y, thread = y * BLOCK + x;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sums[EACH][EACH] = {};
    for (int first = 0; first < inner; first += DEPTH) {
        for (int at = thread; at < TILE * DEPTH; at += BLOCK * BLOCK) {
            int r = top + at / DEPTH, k = first + at % DEPTH;
            tile_a[at / DEPTH][at % DEPTH] = r < rows && k < inner ? a[r * inner + k] : 0;
        }
        for (int at = thread; at < TILE * DEPTH; at += BLOCK * BLOCK) {
            int c = left + at % TILE, k = first + at / TILE;
            tile_b[at / TILE][at % TILE] = k < inner && c < cols ? b[k * cols + c] : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
            float of_b[EACH];
            for (int j = 0; j < EACH; j++) of_b[j] = tile_b[k][x + BLOCK * j];
            for (int i = 0; i < EACH; i++) {
                float of_a = tile_a[y + BLOCK * i][k];
                for (int j = 0; j < EACH; j++) sums[i][j] += of_a * of_b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            int row = top + y + BLOCK * i, col = left + x + BLOCK * j;
            if (row < rows && col < cols) out[row * cols + col] = sums[i][j];
        }
    }
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {BLOCK, BLOCK}};
}
