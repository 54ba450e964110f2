// expect: too-many-requests | uncoalesced-loads | work-repeated
// mistake: Each thread reads its seven elements from global memory.
#include "exercise.h"

constexpr int RADIUS = 3, BLOCK = 256;

__global__ void stencil_1d(float* out, const float* in, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k) {
        if (i + k >= 0 && i + k < n) sum += in[i + k];
    }
    out[i] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, BLOCK)}, .block = {BLOCK}};
}
