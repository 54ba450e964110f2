// expect: grid-too-small | bad-launch
// mistake: The number of blocks is rounded down.
#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

constexpr Launch configure(int n) {
    return {.grid = n / 256 + 1 - (n > 256), .block = {256}};  // here
}
