// not built by clang: it has no -rdc=true for this
// nvcc: -rdc=true
// Tests relocatable device code. Its PTX has a different section and a different wrapper version.
// expect: kernel, device function, variable: 42
#include "api_check.h"

__device__ int factor = 6;
__device__ __noinline__ int product(int a, int b) {
    return a * b;
}
__global__ void compute(int* out, int value) {
    *out = product(value, factor);
}

int main() {
    int *out, host = 0;
    need(cudaMalloc(&out, sizeof(int)));
    compute<<<1, 1>>>(out, 7);
    need(cudaGetLastError());
    need(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("kernel, device function, variable: %d\n", host);
    need(cudaFree(out));
}
