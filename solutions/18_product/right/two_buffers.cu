// Two pairs of tiles take turns, so that one barrier for each pair is enough.
#include "exercise.h"

constexpr int BLOCK = 16, EACH = 4, TILE = 64, DEPTH = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float tile_a[2][TILE][DEPTH], tile_b[2][DEPTH][TILE];
    int x = threadIdx.x, y = threadIdx.y, thread = y * BLOCK + x;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sums[EACH][EACH] = {};
    int now = 0;
    for (int first = 0; first < inner; first += DEPTH) {
        for (int i = 0; i < EACH; i++) {
            int at = thread + BLOCK * BLOCK * i;
            int r = top + at / DEPTH, c = left + at % TILE;
            int ka = first + at % DEPTH, kb = first + at / TILE;
            tile_a[now][at / DEPTH][at % DEPTH] = r < rows && ka < inner ? a[r * inner + ka] : 0;
            tile_b[now][at / TILE][at % TILE] = kb < inner && c < cols ? b[kb * cols + c] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float of_a[EACH], of_b[EACH];
            for (int i = 0; i < EACH; i++) {
                of_a[i] = tile_a[now][y + BLOCK * i][k];
                of_b[i] = tile_b[now][k][x + BLOCK * i];
            }
            for (int i = 0; i < EACH * EACH; i++) {
                sums[i / EACH][i % EACH] += of_a[i / EACH] * of_b[i % EACH];
            }
        }
        now ^= 1;
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
