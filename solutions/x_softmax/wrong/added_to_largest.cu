// expect: wrong-elements
// mistake: The sum begins with the largest element.
// says: still has from line
#include "exercise.h"

__global__ void softmax(float* out, const float* in, int rows, int cols) {
    __shared__ float part[256];
    const int t = threadIdx.x;
    const float* line = in + blockIdx.x * cols;
    float own = -3.4e38f;
    for (int col = t; col < cols; col += 256) own = fmaxf(own, line[col]);
    part[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    const float largest = part[0];

    __syncthreads();
    own = 0;
    for (int col = t; col < cols; col += 256) own += expf(line[col] - largest);
    atomicAdd(&part[0], own);  // here
    __syncthreads();

    for (int col = t; col < cols; col += 256) {
        out[blockIdx.x * cols + col] = expf(line[col] - largest) / part[0];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {rows}, .block = {256}};
}
