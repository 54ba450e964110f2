// expect: does-not-compile
// mistake: The file has a kernel, but no main().
// says: the program cannot be linked
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void reverse(float* out, const float* in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[count - 1 - i] = in[i];
    }
}

static void check(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", call, cudaGetErrorString(error));
    std::exit(2);
}
