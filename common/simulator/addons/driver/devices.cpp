// Implements queries about devices and their properties.
#include <cstring>
#include <string>

#include "simulator/addons/driver/driver.h"

using namespace coalesce::simulator::driver;

namespace {

cudaDeviceProp get_properties(int device) {
    cudaDeviceProp properties;
    require_success(cudaGetDeviceProperties(&properties, device));
    return properties;
}

/// A CUdevprop, the predecessor of cudaDeviceProp.
struct OldProperties {
    int max_threads_per_block;
    int max_threads[3];
    int max_grid[3];
    int shared_memory_per_block;
    int constant_memory;
    int warp_size;
    int pitch;
    int registers_per_block;
    int clock_rate;
    int texture_alignment;
};

}  // namespace

void coalesce::simulator::driver::check_device(int device) {
    int count = 0;
    require_success(cudaGetDeviceCount(&count));
    require(device >= 0 && device < count, cudaErrorInvalidDevice);
}

extern "C" {

// The runtime functions that cuda_profiler_api.h declares.
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

COALESCE_SAME_ANYWHERE(cuDeviceGetCount, cudaGetDeviceCount, 1);

Result cuDeviceGet(int* device, int ordinal) {
    return run_driver_call(__func__, [&] {
        check_device(ordinal);
        store_output(device, ordinal);
    });
}

Result cuDeviceGetName(char* name, int length, int device) {
    return run_driver_call(__func__, [&] {
        const cudaDeviceProp properties = get_properties(device);
        require(name && length > 0);
        std::strncpy(name, properties.name, static_cast<size_t>(length) - 1);
        name[length - 1] = '\0';
    });
}

Result cuDeviceGetUuid_v2(cudaUUID_t* uuid, int device) {
    return run_driver_call(__func__, [&] { store_output(uuid, get_properties(device).uuid); });
}

Result cuDeviceTotalMem_v2(size_t* bytes, int device) {
    return run_driver_call(__func__,
                           [&] { store_output(bytes, get_properties(device).totalGlobalMem); });
}

/// Forwards the query. The driver and the runtime use the same attribute numbers.
COALESCE_SAME_ANYWHERE(cuDeviceGetAttribute, cudaDeviceGetAttribute, 3);

Result cuDeviceComputeCapability(int* major, int* minor, int device) {
    return run_driver_call(__func__, [&] {
        const cudaDeviceProp properties = get_properties(device);
        store_output(major, properties.major);
        store_output(minor, properties.minor);
    });
}

Result cuDeviceGetProperties(OldProperties* old_properties, int device) {
    return run_driver_call(__func__, [&] {
        const cudaDeviceProp p = get_properties(device);
        int clock_rate = 0;
        require_success(cudaDeviceGetAttribute(&clock_rate, cudaDevAttrClockRate, device));
        store_output(old_properties,
                     OldProperties{p.maxThreadsPerBlock,
                                   {p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]},
                                   {p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]},
                                   static_cast<int>(p.sharedMemPerBlock),
                                   static_cast<int>(p.totalConstMem),
                                   p.warpSize,
                                   static_cast<int>(p.memPitch),
                                   p.regsPerBlock,
                                   clock_rate,
                                   static_cast<int>(p.textureAlignment)});
    });
}

COALESCE_SAME_ANYWHERE(cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId, 3);
COALESCE_SAME_ANYWHERE(cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId, 2);
COALESCE_SAME_ANYWHERE(cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer, 3);
COALESCE_SAME_ANYWHERE(cuDeviceGetP2PAttribute, cudaDeviceGetP2PAttribute, 4);
COALESCE_SAME_ANYWHERE(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool, 2);
COALESCE_SAME_ANYWHERE(cuDeviceGetMemPool, cudaDeviceGetMemPool, 2);
COALESCE_SAME_ANYWHERE(cuDeviceSetMemPool, cudaDeviceSetMemPool, 2);
COALESCE_SAME(cuProfilerStart, cudaProfilerStart, 0);
COALESCE_SAME(cuProfilerStop, cudaProfilerStop, 0);

}  // extern "C"
