// Kernels that launch kernels are not simulated, but other kernels of the program run.
// nvcc: -rdc=true -lcudadevrt
// not built by clang: it has no -rdc=true
// simulator only
// expect: a kernel that launches none: 32
// expect: one that does: cudaErrorUnsupportedPtxVersion
// expect-stderr: execution: unsupported in parent
// expect-stderr: dynamic_parallelism.cu:17
// expect-stderr: not simulated: kernels that launch kernels (dynamic parallelism)
// expect-exit: 2
#include "api_check.h"

__global__ void child(int* out) {
    atomicAdd(out, 1);
}
__global__ void parent(int* out) {
    child<<<1, 32>>>(out);
}

int main() {
    int *out, host = -1;
    need(cudaMalloc(&out, sizeof(int)));
    need(cudaMemset(out, 0, sizeof(int)));
    child<<<1, 32>>>(out);
    need(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("a kernel that launches none: %d\n", host);
    parent<<<1, 1>>>(out);
    result("one that does", cudaGetLastError());
}
