#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    const int stride = blockDim.x * gridDim.x;
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    while (tid < n) {
        out[tid] = a[tid] + b[tid];
        tid += stride;
    }
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
