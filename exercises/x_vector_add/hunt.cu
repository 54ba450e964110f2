// Bug hunt x_vector_add -- this addition is correct, but slow for large vectors.
//
// Seen    For more than 256 elements, the cost grows too fast.
// Fix     the step of the loop (1 line).
// Check   ./learn check x_vector_add --hunt
#include "exercise.h"  // Launch, ceil_div

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += blockDim.x) {
        out[i] = a[i] + b[i];
    }
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
