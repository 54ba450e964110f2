// A CUDA 12 program that calls cuBLAS, linked to libcublas.so.12 and libcudart.so.12. This file
// itself declares the cuBLAS functions, because the headers may be missing.
// expect: y: 12 24 36 48
// expect-stderr: cublasSaxpy: 1 call, on the host, not counted
// expect-stderr: last bits may differ from a GPU's: cublasSaxpy (on the host)
#include "../programs/api_check.h"

extern "C" {
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSaxpy_v2(void* handle, int n, const float* alpha, const float* x, int step_x, float* y,
                   int step_y);
}

int main() {
    const float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40}, alpha = 2;
    float *to_x, *to_y, result[4];
    void* handle;
    need(cudaMalloc(&to_x, sizeof x));
    need(cudaMalloc(&to_y, sizeof y));
    need(cudaMemcpy(to_x, x, sizeof x, cudaMemcpyHostToDevice));
    need(cudaMemcpy(to_y, y, sizeof y, cudaMemcpyHostToDevice));
    if (cublasCreate_v2(&handle) || cublasSaxpy_v2(handle, 4, &alpha, to_x, 1, to_y, 1) ||
        cublasDestroy_v2(handle))
        return 1;
    need(cudaMemcpy(result, to_y, sizeof result, cudaMemcpyDeviceToHost));
    std::printf("y: %g %g %g %g\n", result[0], result[1], result[2], result[3]);
    need(cudaFree(to_x));
    need(cudaFree(to_y));
}
