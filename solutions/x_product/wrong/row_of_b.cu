// expect: wrong-elements
// mistake: The rows of b are taken to be as long as those of a.
// says: a row of `b` has `cols` elements
#include "exercise.h"

constexpr int TILE = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        const int k_of_a = first + threadIdx.x, k_of_b = first + threadIdx.y;
        of_a[threadIdx.y][threadIdx.x] = row < rows && k_of_a < inner ? a[row * inner + k_of_a] : 0;
        of_b[threadIdx.y][threadIdx.x] =
            k_of_b < inner && col < cols ? b[k_of_b * inner + col] : 0;  // here
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += of_a[threadIdx.y][k] * of_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && col < cols) out[row * cols + col] = sum;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {TILE, TILE}};
}
