#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    const int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + threads < n; i += 2 * threads) {
        const float first = a[i] + b[i];
        const float second = a[i + threads] + b[i + threads];
        out[i] = first;
        out[i + threads] = second;
    }
    if (i < n) out[i] = a[i] + b[i];
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
