// Uses only the driver API. nvcc links a static runtime into this program, which does not use it.
#include <cuda.h>

#include <cstdio>

int main() {
    int count = 0;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS) return 1;
    std::printf("devices: %d\n", count);
}
