// expect: work-repeated
// mistake: The loop does not depend on the block.
// says: does not use blockIdx
#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    for (int k = threadIdx.x; k < n; k += blockDim.x) out[k] = a[k] + b[k];  // here
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
