// Exercise x_stencil_1d -- add each element and its three neighbours on both sides.
//
// Given   a tile with space for the block's elements and three more on each side.
// Write   the loads into the tile, and the barrier. Elements outside `in` are 0 (7 lines).
// Check   ./learn check x_stencil_1d          Stuck?   ./learn hint x_stencil_1d
#include "exercise.h"  // Launch, ceil_div

constexpr int RADIUS = 3, BLOCK = 256;

__global__ void stencil_1d(float* out, const float* in, int n) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const int i = blockIdx.x * BLOCK + threadIdx.x;

    //! [blank]
    //! // TODO: fill the tile. Element i belongs in tile[threadIdx.x + RADIUS].
    tile[threadIdx.x + RADIUS] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        const int left = i - RADIUS, right = i + BLOCK;
        tile[threadIdx.x] = left >= 0 ? in[left] : 0;
        tile[threadIdx.x + RADIUS + BLOCK] = right < n ? in[right] : 0;
    }
    __syncthreads();
    //! [blank]

    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; ++k) sum += tile[threadIdx.x + k];
    out[i] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, BLOCK)}, .block = {BLOCK}};
}
