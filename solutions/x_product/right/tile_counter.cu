#include "exercise.h"

constexpr int TILE = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < (inner + TILE - 1) / TILE; ++t) {
        int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
        of_a[threadIdx.y][threadIdx.x] = (row < rows && ka < inner) ? a[row * inner + ka] : 0.0f;
        of_b[threadIdx.y][threadIdx.x] = (kb < inner && col < cols) ? b[kb * cols + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum = fmaf(of_a[threadIdx.y][k], of_b[k][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < rows && col < cols) out[row * cols + col] = sum;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {TILE, TILE}};
}
