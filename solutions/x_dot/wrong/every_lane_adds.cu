// expect: inputs-repeated
// mistake: All lanes of the first warp add the sum of the block.
// says: is 32 times the expected value
#include "exercise.h"

__global__ void dot(float* out, const float* a, const float* b, int n) {
    __shared__ float sums[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += a[i] * b[i];
    }
    for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(0xffffffff, sum, by);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    float all = 0;
    for (int k = 0; k < 8; ++k) all += sums[k];
    atomicAdd(&out[0], all);  // here
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 1024);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
