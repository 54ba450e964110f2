// expect: work-repeated
// mistake: There are loops over tiles, but no tiles.
// says: uses no shared memory
#include "exercise.h"

constexpr int TILE = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row >= rows || col >= cols) return;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        for (int k = first; k < first + TILE && k < inner; ++k) {
            sum += a[row * inner + k] * b[k * cols + col];  // here
        }
    }
    out[row * cols + col] = sum;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {TILE, TILE}};
}
