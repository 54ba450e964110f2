// Tests three devices (COALESCE_SIM_DEVICES=3): selection, peer access and copies between them.
// simulator only
// expect: devices: 3
// expect: chosen: 2
// expect: device 3: cudaErrorInvalidDevice
// expect: another thread begins with device 0
// expect: the bus ids differ, and lead back
// expect: 2 can reach 0: 1
// expect: 2 can reach itself: 0
// expect: reaching 0: cudaSuccess
// expect: reaching 0 again: cudaErrorPeerAccessAlreadyEnabled
// expect: reaching 3: cudaErrorInvalidDevice
// expect: leaving 1: cudaErrorPeerAccessNotEnabled
// expect: leaving 0: cudaSuccess
// expect: a stream of device 1: 1
// expect: stored by device 1, copied to device 2: 7
// expect: moving managed memory to device 2: cudaSuccess
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "api_check.h"

__global__ void write(int* out, int value) {
    *out = value;
}

static void choose_and_ask() {
    int device = -1;
    need(cudaSetDevice(2));
    need(cudaGetDevice(&device));
    std::printf("chosen: %d\n", device);
    result("device 3", cudaSetDevice(3));
    std::thread([] {
        int device = -1;
        need(cudaGetDevice(&device));
        std::printf("another thread begins with device %d\n", device);
    }).join();

    char first[32] = "", third[32] = "";
    need(cudaDeviceGetPCIBusId(first, sizeof first, 0));
    need(cudaDeviceGetPCIBusId(third, sizeof third, 2));
    need(cudaDeviceGetByPCIBusId(&device, third));
    const bool differ = std::strcmp(first, third) != 0 && device == 2;
    std::printf("the bus ids %s\n", differ ? "differ, and lead back" : "are wrong");
}

static void reach_peers() {
    int can = -1;
    need(cudaDeviceCanAccessPeer(&can, 2, 0));
    std::printf("2 can reach 0: %d\n", can);
    need(cudaDeviceCanAccessPeer(&can, 2, 2));
    std::printf("2 can reach itself: %d\n", can);
    result("reaching 0", cudaDeviceEnablePeerAccess(0, 0));
    result("reaching 0 again", cudaDeviceEnablePeerAccess(0, 0));
    result("reaching 3", cudaDeviceEnablePeerAccess(3, 0));
    result("leaving 1", cudaDeviceDisablePeerAccess(1));
    result("leaving 0", cudaDeviceDisablePeerAccess(0));
}

static void copy_between() {
    int *on_second, *on_third, device = -1, host = 0;
    cudaStream_t stream;
    need(cudaSetDevice(1));
    need(cudaStreamCreate(&stream));
    need(cudaMalloc(&on_second, sizeof(int)));
    write<<<1, 1, 0, stream>>>(on_second, 7);
    need(cudaSetDevice(2));
    need(cudaMalloc(&on_third, sizeof(int)));
    need(cudaStreamGetDevice(stream, &device));
    std::printf("a stream of device 1: %d\n", device);
    need(cudaMemcpyPeerAsync(on_third, 2, on_second, 1, sizeof(int), stream));
    need(cudaStreamSynchronize(stream));
    need(cudaMemcpy(&host, on_third, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("stored by device 1, copied to device 2: %d\n", host);
}

static void move_managed() {
    int* managed;
    need(cudaMallocManaged(&managed, sizeof(int)));
    const cudaMemLocation there = {cudaMemLocationTypeDevice, 2};
    result("moving managed memory to device 2",
           cudaMemPrefetchAsync(managed, sizeof(int), there, 0));
    need(cudaFree(managed));
}

int main(int, char** argv) {
    // Restart the program with the variable set, because the library reads it when it is loaded.
    if (!getenv("COALESCE_SIM_DEVICES")) {
        setenv("COALESCE_SIM_DEVICES", "3", 1);
        execv("/proc/self/exe", argv);
    }
    int count = 0;
    need(cudaGetDeviceCount(&count));
    std::printf("devices: %d\n", count);
    choose_and_ask();
    reach_peers();
    copy_between();
    move_managed();
}
