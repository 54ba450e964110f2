// Kernels that access the memory of another device for which peer access is not enabled.
// simulate: --devices 2
#include "../cases.h"

__global__ void store(int* out) {
    out[threadIdx.x] = threadIdx.x;  // bug never_enabled: memcheck: no peer access // bug enabled_the_other_way: memcheck: no peer access
}
static int* memory_of_device_1() {
    need(cudaSetDevice(1));
    int* memory = device_zeros<int>(32);
    need(cudaSetDevice(0));
    return memory;
}
static void never_enabled() {
    store<<<1, 32>>>(memory_of_device_1());
}

// Device 1 may access memory of device 0, but the kernel on device 0 accesses memory of device 1.
static void enabled_the_other_way() {
    int* memory = memory_of_device_1();
    need(cudaSetDevice(1));
    need(cudaDeviceEnablePeerAccess(0, 0));
    need(cudaSetDevice(0));
    store<<<1, 32>>>(memory);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"never_enabled", never_enabled},
                        {"enabled_the_other_way", enabled_the_other_way},
                    });
}
