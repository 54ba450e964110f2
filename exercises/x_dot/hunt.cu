// Bug hunt x_dot -- this product depends on which warp is faster.
//
// Seen    The result is not always correct, and the race check reports a race.
// Fix     the bug: add one line.
// Check   ./learn check x_dot --hunt
#include "exercise.h"  // Launch, ceil_div

__global__ void dot(float* out, const float* a, const float* b, int n) {
    __shared__ float part[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += a[i] * b[i];
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 1024);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
