// Launches as what nvcc builds does: clang's programs call cudaLaunchKernel, nvcc's __cudaGetKernel and
// __cudaLaunchKernel. Linked into programs that watch the latter.
#include <cuda_runtime_api.h>

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
    cudaKernel_t kernel = nullptr;
    const cudaError_t error = __cudaGetKernel(&kernel, function);
    if (error != cudaSuccess) return error;
    return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
