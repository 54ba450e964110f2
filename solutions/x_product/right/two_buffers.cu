#include "exercise.h"

constexpr int TILE = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float of_a[2][TILE][TILE], of_b[2][TILE][TILE];
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    int stage = 0;
    for (int first = 0; first < inner; first += TILE, stage = 1 - stage) {
        const int ka = first + threadIdx.x, kb = first + threadIdx.y;
        of_a[stage][threadIdx.y][threadIdx.x] = row < rows && ka < inner ? a[row * inner + ka] : 0;
        of_b[stage][threadIdx.y][threadIdx.x] = kb < inner && col < cols ? b[kb * cols + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += of_a[stage][threadIdx.y][k] * of_b[stage][k][threadIdx.x];
    }
    if (row < rows && col < cols) out[row * cols + col] = sum;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {TILE, TILE}};
}
