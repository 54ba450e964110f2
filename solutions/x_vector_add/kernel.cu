// Exercise x_vector_add -- add two vectors with a grid-stride loop.
//
// Given   the launch, which has at most 32 blocks for any n.
// Write   the body of the kernel (3 lines).
// Check   ./learn check x_vector_add          Stuck?   ./learn hint x_vector_add
#include "exercise.h"  // Launch, ceil_div

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    //! [blank]
    //! // TODO: add the elements of this thread. There may be more elements than threads.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = a[i] + b[i];
    }
    //! [blank]
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
