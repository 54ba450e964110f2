// A kernel whose input has never been written causes the same error 33 million times, at every
// load. The error must be reported once, for the first thread, and must not slow the kernel down.
// simulator only
// expect: the sum is there
// expect-stderr: initcheck: uninitialised global read in product
// expect-report: initcheck: uninitialised global read by block (0,0,0), thread (0,0,0)
// expect-stderr: none of which was ever written
// expect-stderr: 1 report (seen 100,000 times or more)
#include <cuda_runtime.h>

#include <cstdio>

__global__ void product(float* c, const float* a, const float* b, int n) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

int main() {
    constexpr int n = 256;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(c, a, b, n);
    if (cudaDeviceSynchronize() == cudaSuccess) std::puts("the sum is there");
}
