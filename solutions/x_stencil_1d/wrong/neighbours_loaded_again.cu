// expect: work-repeated
// mistake: Every thread loads all neighbours from global memory.
// says: uses no shared memory
#include "exercise.h"

constexpr int RADIUS = 3, BLOCK = 256;

__global__ void stencil_1d(float* out, const float* in, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k) {
        const int at = i + k;
        if (at >= 0 && at < n) sum += in[at];  // here
    }
    out[i] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, BLOCK)}, .block = {BLOCK}};
}
