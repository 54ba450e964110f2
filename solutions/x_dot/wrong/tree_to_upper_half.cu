// expect: inputs-left-out
// mistake: Each step of the tree adds to the upper half, but the first element is stored.
// says: only every 256th
// says: add toward the thread that stores the result
#include "exercise.h"

__global__ void dot(float* out, const float* a, const float* b, int n) {
    __shared__ float part[256];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    part[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half >= 1; half /= 2) {
        if (t < half) part[t + half] += part[t];  // here
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, part[0]);
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 1024);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
