// expect: work-repeated
// mistake: Advance by the number of blocks instead of the number of threads.
// of: the bug hunt
// says: number of blocks
#include "exercise.h"  // Launch, ceil_div

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += gridDim.x) {  // here
        out[i] = a[i] + b[i];
    }
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
