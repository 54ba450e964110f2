// expect: work-repeated
// mistake: The grid has a block for each 16 x 16 elements, as for one element per thread.
#include "exercise.h"

constexpr int BLOCK = 16, EACH = 4, TILE = BLOCK * EACH;
constexpr int DEPTH = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float tile_a[TILE][DEPTH], tile_b[DEPTH][TILE];
    int x = threadIdx.x, y = threadIdx.y, thread = y * BLOCK + x;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sums[EACH][EACH] = {};

    for (int first = 0; first < inner; first += DEPTH) {
        for (int i = 0; i < EACH; i++) {
            int at = thread + BLOCK * BLOCK * i;
            int r = top + at / DEPTH, c = left + at % TILE;
            int k_of_a = first + at % DEPTH, k_of_b = first + at / TILE;
            tile_a[at / DEPTH][at % DEPTH] = r < rows && k_of_a < inner ? a[r * inner + k_of_a] : 0;
            tile_b[at / TILE][at % TILE] = k_of_b < inner && c < cols ? b[k_of_b * cols + c] : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
            float of_a[EACH], of_b[EACH];
            for (int i = 0; i < EACH; i++) of_a[i] = tile_a[y + BLOCK * i][k];
            for (int j = 0; j < EACH; j++) of_b[j] = tile_b[k][x + BLOCK * j];
            for (int i = 0; i < EACH; i++) {
                for (int j = 0; j < EACH; j++) sums[i][j] += of_a[i] * of_b[j];
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
    return {.grid = {ceil_div(cols, BLOCK), ceil_div(rows, BLOCK)}, .block = {BLOCK, BLOCK}};
}
