// expect: missing-barrier
// mistake: Threads read the tile before other threads, also of other warps, have filled it.
// says: Put __syncthreads()
// never: __syncwarp
#include "exercise.h"

constexpr int RADIUS = 3, BLOCK = 256;

__global__ void stencil_1d(float* out, const float* in, int n) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const int i = blockIdx.x * BLOCK + threadIdx.x;

    tile[threadIdx.x + RADIUS] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        const int left = i - RADIUS, right = i + BLOCK;
        tile[threadIdx.x] = left >= 0 ? in[left] : 0;
        tile[threadIdx.x + RADIUS + BLOCK] = right < n ? in[right] : 0;
    }

    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; ++k) sum += tile[threadIdx.x + k];
    out[i] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, BLOCK)}, .block = {BLOCK}};
}
