// expect: inputs-left-out
// mistake: The number of pairs is rounded down.
// says: only the first 32 of 45 inputs
#include "exercise.h"

constexpr int TILE = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int col = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int pair = 0; pair < (inner < TILE ? 1 : inner / TILE); ++pair) {  // here
        const int first = pair * TILE;
        of_a[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0;
        of_b[y][x] = first + y < inner && col < cols ? b[(first + y) * cols + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += of_a[y][k] * of_b[k][x];
        __syncthreads();
    }
    if (row < rows && col < cols) out[row * cols + col] = sum;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {TILE, TILE}};
}
