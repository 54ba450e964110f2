// Exercise x_dot -- multiply two vectors element by element, and add the products.
//
// Given   each thread's part of the sum, in shared memory. `out` starts at zero.
// Write   the tree that combines the parts of a block, and one atomic addition (5 lines).
// Check   ./learn check x_dot          Stuck?   ./learn hint x_dot
#include "exercise.h"  // Launch, ceil_div

__global__ void dot(float* out, const float* a, const float* b, int n) {
    __shared__ float part[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += a[i] * b[i];
    }
    part[threadIdx.x] = sum;
    __syncthreads();

    //! [blank]
    //! // TODO: add all elements of `part`, and let one thread add the sum to out[0].
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
    //! [blank]
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 1024);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
