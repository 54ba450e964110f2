// expect: wrong-elements
// mistake: Load only in threads that have an output.
// says: is loaded only if
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        const bool is_inside = row < rows && col < cols;
        const int k_of_a = first + threadIdx.x, k_of_b = first + threadIdx.y;
        of_a[threadIdx.y][threadIdx.x] =
            is_inside && k_of_a < inner ? a[row * inner + k_of_a] : 0;  // here
        of_b[threadIdx.y][threadIdx.x] = is_inside && k_of_b < inner ? b[k_of_b * cols + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += of_a[threadIdx.y][k] * of_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && col < cols) out[row * cols + col] = sum;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {TILE, TILE}};
}
