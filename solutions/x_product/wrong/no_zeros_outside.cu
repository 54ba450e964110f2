// expect: uninitialised-shared
// mistake: Outside of the matrices, nothing is stored in the tiles.
// says: only if `row < rows
#include "exercise.h"

constexpr int TILE = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        const int x = threadIdx.x, y = threadIdx.y;
        if (row < rows && first + x < inner) of_a[y][x] = a[row * inner + first + x];  // here
        if (first + y < inner && col < cols) of_b[y][x] = b[(first + y) * cols + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += of_a[y][k] * of_b[k][x];
        __syncthreads();
    }
    if (row < rows && col < cols) out[row * cols + col] = sum;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {TILE, TILE}};
}
