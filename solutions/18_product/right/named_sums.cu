// Writes out four values of the tile of a, and four columns of sums, instead of arrays of arrays.
#include "exercise.h"

constexpr int TILE = 64, DEPTH = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float sa[DEPTH][TILE + 1], sb[DEPTH][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float c0[4] = {0, 0, 0, 0}, c1[4] = {0, 0, 0, 0}, c2[4] = {0, 0, 0, 0}, c3[4] = {0, 0, 0, 0};
    const int pairs = (inner + DEPTH - 1) / DEPTH;
    for (int pair = 0; pair < pairs; ++pair) {
        const int k0 = pair * DEPTH;
        for (int r = y; r < TILE; r += 16) {
            sa[x][r] = top + r < rows && k0 + x < inner ? a[(top + r) * inner + k0 + x] : 0;
        }
        for (int c = x; c < TILE; c += 16) {
            sb[y][c] = k0 + y < inner && left + c < cols ? b[(k0 + y) * cols + left + c] : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; ++k) {
            const float a0 = sa[k][y], a1 = sa[k][y + 16], a2 = sa[k][y + 32], a3 = sa[k][y + 48];
            for (int j = 0; j < 4; ++j) {
                const float value = sb[k][x + 16 * j];
                c0[j] += a0 * value;
                c1[j] += a1 * value;
                c2[j] += a2 * value;
                c3[j] += a3 * value;
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) {
        const int col = left + x + 16 * j;
        if (col >= cols) continue;
        if (top + y < rows) out[(top + y) * cols + col] = c0[j];
        if (top + y + 16 < rows) out[(top + y + 16) * cols + col] = c1[j];
        if (top + y + 32 < rows) out[(top + y + 32) * cols + col] = c2[j];
        if (top + y + 48 < rows) out[(top + y + 48) * cols + col] = c3[j];
    }
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {16, 16}};
}
