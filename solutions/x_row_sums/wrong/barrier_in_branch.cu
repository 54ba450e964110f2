// expect: divergent-barrier
// mistake: Only the threads that add reach the barrier.
#include "exercise.h"

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    __shared__ float part[128];
    const int row = blockIdx.x, t = threadIdx.x;
    float sum = 0;
    for (int col = t; col < cols; col += 128) sum += in[row * cols + col];
    part[t] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) {
            part[t] += part[t + half];
            __syncthreads();  // here
        }
    }
    if (t == 0) out[row] = part[0];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {rows}, .block = {128}};
}
