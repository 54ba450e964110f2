// Uses the driver API in a program that is linked with the static runtime, for command_test.cpp.
#include <cuda.h>

#include <cstdio>

int main() {
    void* memory = nullptr;
    const bool allocated = cuInit(0) == CUDA_SUCCESS && cudaMalloc(&memory, 16) == cudaSuccess;
    std::printf("allocated: %d\n", allocated ? 1 : 0);
}
