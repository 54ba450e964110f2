// The correct counterparts of ../bugs/peers.cu: kernels that may access another device's memory.
// simulate: --devices 2
#include "../cases.h"

__global__ void store(int* out) {
    out[threadIdx.x] = threadIdx.x;
}

// clean enabled
static void enabled() {
    need(cudaSetDevice(1));
    int* memory = device_zeros<int>(32);
    need(cudaSetDevice(0));
    need(cudaDeviceEnablePeerAccess(1, 0));
    store<<<1, 32>>>(memory);
    expect(to_host(memory, 32)[31] == 31, "value");
}

// Managed and pinned memory is accessible from every device, and copies need no peer access.
// clean memory_of_all_devices
static void memory_of_all_devices() {
    int *managed, *pinned;
    need(cudaSetDevice(1));
    need(cudaMallocManaged(&managed, 128));
    need(cudaMallocHost(&pinned, 128));
    int* memory = device_zeros<int>(32);
    need(cudaSetDevice(0));
    store<<<1, 32>>>(managed);
    store<<<1, 32>>>(pinned);
    int* own = device_zeros<int>(32);
    store<<<1, 32>>>(own);
    need(cudaMemcpyPeer(memory, 1, own, 0, 128));
    expect(to_host(memory, 32)[31] == 31, "value");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"enabled", enabled},
                        {"memory_of_all_devices", memory_of_all_devices},
                    });
}
