// expect: missing-barrier
// mistake: The tree adds neighbours, and stores their sum where other threads still read.
// says: only separates the passes
// never: at the end of its body
#include "exercise.h"

__global__ void dot(float* out, const float* a, const float* b, int n) {
    __shared__ float part[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += a[i] * b[i];
    }
    part[threadIdx.x] = sum;
    __syncthreads();

    const int t = threadIdx.x;
    for (int count = 128; count > 0; count /= 2) {
        if (t < count) part[t] = part[2 * t] + part[2 * t + 1];  // here
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, part[0]);
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 1024);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}
