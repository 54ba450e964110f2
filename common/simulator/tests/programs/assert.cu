// A failing assertion ends the launch, and every later call of the runtime returns the error.
// expect: passing assertions: cudaSuccess
// expect: failing assertion: cudaErrorAssert
// expect: and later: cudaErrorAssert
// expect-stderr: assert.cu:19: void wrong(int): block: [1,0,0], thread: [3,0,0] Assertion
#undef NDEBUG
#include <cassert>
#include <cstdio>

#include <cuda_runtime.h>

__global__ void right(int limit) {
    assert(threadIdx.x < 32);
    assert(limit > 0 && "a message");
}

__global__ void wrong(int limit) {
    // Fails only for thread 3 of block 1.
    assert(threadIdx.x + blockIdx.x < limit);
}

int main() {
    right<<<2, 32>>>(4);
    std::printf("passing assertions: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    wrong<<<2, 4>>>(4);
    std::printf("failing assertion: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    void* pointer = nullptr;
    std::printf("and later: %s\n", cudaGetErrorName(cudaMalloc(&pointer, 4)));
}
