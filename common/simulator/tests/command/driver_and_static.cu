// A program of the driver's functions and of a static runtime; command_test.cpp runs it.
#include <cuda.h>

int main() {
    void* memory = nullptr;
    return cuInit(0) == CUDA_SUCCESS && cudaMalloc(&memory, 16) == cudaSuccess ? 1 : 0;
}
