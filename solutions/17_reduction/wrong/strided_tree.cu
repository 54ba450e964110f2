// expect: bank-conflicts
// mistake: The threads of the tree are 2, 4, 8 ... words apart, so they share banks.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    __shared__ float sums[256];
    int row = blockIdx.x;

    float sum = 0;
    for (int col = threadIdx.x; col < cols; col += 256) sum += in[row * cols + col];
    sums[threadIdx.x] = sum;
    for (int step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        int i = 2 * step * threadIdx.x;
        if (i < blockDim.x) sums[i] += sums[i + step];  // here
    }
    if (threadIdx.x == 0) out[row] = sums[0];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {unsigned(rows)}, .block = {256}};
}
