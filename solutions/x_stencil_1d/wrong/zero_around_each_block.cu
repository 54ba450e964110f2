// expect: wrong-elements
// mistake: The halo is 0 in every block, also where it lies inside the vector.
// says: each block takes 0 where the elements of other blocks belong
#include "exercise.h"

constexpr int RADIUS = 3, BLOCK = 256;

__global__ void stencil_1d(float* out, const float* in, int n) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const int i = blockIdx.x * BLOCK + threadIdx.x, own = threadIdx.x + RADIUS;
    if (threadIdx.x < RADIUS) {
        tile[own - RADIUS] = 0.0f;  // here
        tile[own + BLOCK] = 0.0f;
    }
    tile[own] = i < n ? in[i] : 0;
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[own + k];
    out[i] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, BLOCK)}, .block = {BLOCK}};
}
