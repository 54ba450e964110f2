// expect: missing-barrier | shared-race
// mistake: All threads add to one shared variable at the same time.
#include "exercise.h"

__global__ void dot(float* out, const float* a, const float* b, int n) {
    __shared__ float total;
    total = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        total += a[i] * b[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, total);
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 1024);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
