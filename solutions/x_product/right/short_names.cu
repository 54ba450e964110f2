#include "exercise.h"

#define T 16
__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float As[T][T];
    __shared__ float Bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int r = blockIdx.y * T + ty;
    int c = blockIdx.x * T + tx;
    float acc = 0.f;
    for (int m = 0; m < inner; m += T) {
        As[ty][tx] = 0.f;
        Bs[ty][tx] = 0.f;
        if (r < rows && m + tx < inner) As[ty][tx] = a[r * inner + m + tx];
        if (c < cols && m + ty < inner) Bs[ty][tx] = b[(m + ty) * cols + c];
        __syncthreads();
        for (int k = 0; k < T; k++) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (r < rows && c < cols) out[r * cols + c] = acc;
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {(cols + T - 1) / T, (rows + T - 1) / T}, .block = {T, T}};
}
