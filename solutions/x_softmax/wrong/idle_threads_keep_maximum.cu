// expect: wrong-elements
// mistake: Threads without a column leave the maximum in the array that is then added up.
// says: right with cols = 128, but wrong with cols = 127
// says: Some threads have no element then.
#include "exercise.h"

__global__ void softmax(float* out, const float* in, int rows, int cols) {
    __shared__ float part[128];
    const int t = threadIdx.x;
    const float* row = in + blockIdx.x * cols;
    float own = -3.4e38f;
    for (int col = t; col < cols; col += 128) own = fmaxf(own, row[col]);
    part[t] = own;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    const float largest = part[0];
    __syncthreads();
    own = 0;
    for (int col = t; col < cols; col += 128) own += expf(row[col] - largest);
    if (t < cols) part[t] = own;  // here
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    for (int col = t; col < cols; col += 128) {
        out[blockIdx.x * cols + col] = expf(row[col] - largest) / part[0];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {rows}, .block = {128}};
}
