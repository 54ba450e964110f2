// A program of the driver's functions alone, which nvcc builds with a static runtime that it does not use.
#include <cuda.h>

#include <cstdio>

int main() {
    int count = 0;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS) return 1;
    std::printf("devices: %d\n", count);
}
