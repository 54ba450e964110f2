// expect: no-bounds-check
// mistake: The bounds check has <= instead of <.
#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = a[i] + b[i];  // here
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, 256)}, .block = {256}};
}
