// expect: never-written
// mistake: The index of the block is multiplied by the number of blocks instead of threads.
// says: uses the number of blocks, gridDim.x
#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    int i = threadIdx.x + gridDim.x * blockIdx.x;  // here
    while (i < n) {
        out[i] = a[i] + b[i];
        i += gridDim.x * blockDim.x;
    }
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
