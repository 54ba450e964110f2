// Bug hunt x_stencil_1d -- this stencil is wrong where two blocks meet.
//
// Seen    The first elements of every block except block 0 are wrong.
// Fix     the bug (1 line).
// Check   ./learn check x_stencil_1d --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int RADIUS = 3, BLOCK = 256;

__global__ void stencil_1d(float* out, const float* in, int n) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x + RADIUS] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        //! [blank]
        //! const int left = i - 1, right = i + BLOCK;
        const int left = i - RADIUS, right = i + BLOCK;
        //! [blank]
        tile[threadIdx.x] = left >= 0 ? in[left] : 0;
        tile[threadIdx.x + RADIUS + BLOCK] = right < n ? in[right] : 0;
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
