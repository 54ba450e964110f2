#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + b[i];
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, 256)}, .block = {256}};
}
