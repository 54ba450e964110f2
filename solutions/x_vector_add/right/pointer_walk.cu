#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    const float* end = a + n;
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const int step = gridDim.x * blockDim.x;
    a += first;
    b += first;
    out += first;
    while (a < end) {
        *out = *a + *b;
        a += step;
        b += step;
        out += step;
    }
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
