// Makes programs built by clang launch kernels with the same calls as programs built by nvcc. Code
// from clang calls cudaLaunchKernel, whereas code from nvcc calls __cudaGetKernel and
// __cudaLaunchKernel. This file is linked into programs that observe nvcc's calls.
#include <cuda_runtime_api.h>

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
    cudaKernel_t kernel = nullptr;
    const cudaError_t error = __cudaGetKernel(&kernel, function);
    if (error != cudaSuccess) return error;
    return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
