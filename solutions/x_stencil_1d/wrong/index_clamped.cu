// expect: wrong-elements
// mistake: Outside of the vector, the index is that of the first or last element.
// says: min and max
#include "exercise.h"

constexpr int RADIUS = 3, BLOCK = 256;

__global__ void stencil_1d(float* out, const float* in, int n) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const int i = blockIdx.x * BLOCK + threadIdx.x;

    // fill the tile, 256 elements at a time
    for (int k = threadIdx.x; k < BLOCK + 2 * RADIUS; k += BLOCK) {
        int from = int(blockIdx.x) * BLOCK + k - RADIUS;
        tile[k] = in[min(max(from, 0), n - 1)];  // here
    }
    __syncthreads();

    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; ++k) sum += tile[threadIdx.x + k];
    out[i] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, BLOCK)}, .block = {BLOCK}};
}
