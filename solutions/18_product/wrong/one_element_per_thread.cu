// expect: work-repeated
// mistake: Each thread computes one element, so the tiles are small and are loaded more often.
#include "exercise.h"

constexpr int TILE = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        tile_a[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0;  // here
        tile_b[y][x] = first + y < inner && col < cols ? b[(first + y) * cols + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    if (row < rows && col < cols) out[row * cols + col] = sum;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {TILE, TILE}};
}
