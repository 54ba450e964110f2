// Uses the driver API in a program with the static runtime. command_test.cpp runs this program.
#include <cuda.h>

#include <cstdio>

int main() {
    void* memory = nullptr;
    const bool allocated = cuInit(0) == CUDA_SUCCESS && cudaMalloc(&memory, 16) == cudaSuccess;
    std::printf("allocated: %d\n", allocated ? 1 : 0);
}
