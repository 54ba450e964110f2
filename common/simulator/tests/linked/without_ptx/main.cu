// A program of two files, one of which is built without PTX. A kernel that calls a function in that
// file does not run, and the report names the function and the missing option. Other kernels run.
// not built by clang: it has no -rdc=true
// machine code alone: kernels.cu
// expect: alone: 1
// expect: calls the other file: cudaErrorUnsupportedPtxVersion
// expect-stderr: execution: unsupported in call_other
// expect-stderr: the called function multiply(int, int) is not defined
// expect-stderr: -arch=sm_90
// expect-exit: 2
#include "../../programs/api_check.h"

extern __device__ int multiply(int a, int b);

__global__ void stay(int* out) {
    *out = 1;
}
__global__ void call_other(int* out) {
    *out = multiply(2, 3);
}

int main() {
    int *out, host = 0;
    need(cudaMalloc(&out, sizeof(int)));
    stay<<<1, 1>>>(out);
    need(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("alone: %d\n", host);
    call_other<<<1, 1>>>(out);
    result("calls the other file", cudaDeviceSynchronize());
}
