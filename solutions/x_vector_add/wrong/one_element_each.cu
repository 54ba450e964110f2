// expect: grid-too-small
// mistake: Let each thread add only one element.
// says: never written
#include "exercise.h"  // Launch, ceil_div

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};  // here
}
