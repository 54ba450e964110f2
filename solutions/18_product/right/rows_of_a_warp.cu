// The lanes of a warp have different columns of the same 8 rows, so all of them read the same values
// of the tile of a.
#include "exercise.h"

constexpr int LANES = 32, ROWS = 8, COLS = 2, WARPS = 8, DEPTH = 16;
constexpr int HEIGHT = ROWS * WARPS, WIDTH = LANES * COLS;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float tile_a[HEIGHT][DEPTH], tile_b[DEPTH][WIDTH];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const int top = blockIdx.y * HEIGHT, left = blockIdx.x * WIDTH;
    float sums[ROWS][COLS] = {};
    for (int first = 0; first < inner; first += DEPTH) {
        for (int at = threadIdx.x; at < HEIGHT * DEPTH; at += LANES * WARPS) {
            const int r = at / DEPTH, k = at % DEPTH;
            const bool inside = top + r < rows && first + k < inner;
            tile_a[r][k] = inside ? a[(top + r) * inner + first + k] : 0;
        }
        for (int at = threadIdx.x; at < DEPTH * WIDTH; at += LANES * WARPS) {
            const int k = at / WIDTH, c = at % WIDTH;
            const bool inside = first + k < inner && left + c < cols;
            tile_b[k][c] = inside ? b[(first + k) * cols + left + c] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            const float left_value = tile_b[k][lane], right_value = tile_b[k][lane + LANES];
#pragma unroll
            for (int i = 0; i < ROWS; ++i) {
                const float value = tile_a[ROWS * warp + i][k];
                sums[i][0] += value * left_value;
                sums[i][1] += value * right_value;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < ROWS * COLS; ++i) {
        const int row = top + ROWS * warp + i / COLS, col = left + lane + LANES * (i % COLS);
        if (row < rows && col < cols) out[row * cols + col] = sums[i / COLS][i % COLS];
    }
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, WIDTH), ceil_div(rows, HEIGHT)}, .block = {LANES * WARPS}};
}
