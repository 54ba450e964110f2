// Which devices there are, and what they can do.
#include <cstring>
#include <string>

#include "driver/driver.h"

using namespace coalesce::sim::driver;

namespace {

Result check_device(int device) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) return error;
    return device >= 0 && device < count ? kSuccess : kInvalidDevice;
}

template <class Body>
Result with_properties(const char* name, int device, Body body) {
    return call(name, [&]() -> int {
        cudaDeviceProp properties;
        const cudaError_t error = cudaGetDeviceProperties(&properties, device);
        return error != cudaSuccess ? static_cast<int>(error) : body(properties);
    });
}

/// CUdevprop, which is older than cudaDeviceProp.
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

extern "C" {

// Of cuda_profiler_api.h.
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

Result cuDeviceGetCount(int* count) {
    return call(__func__, [&] { return cudaGetDeviceCount(count); });
}

Result cuDeviceGet(int* device, int ordinal) {
    return call(__func__, [&] {
        const Result error = check_device(ordinal);
        return error != kSuccess ? error : give(device, ordinal);
    });
}

Result cuDeviceGetName(char* name, int length, int device) {
    return with_properties(__func__, device, [&](const cudaDeviceProp& properties) {
        if (!name || length <= 0) return kInvalidValue;
        std::strncpy(name, properties.name, static_cast<size_t>(length) - 1);
        name[length - 1] = '\0';
        return kSuccess;
    });
}

Result cuDeviceGetUuid_v2(cudaUUID_t* uuid, int device) {
    return with_properties(__func__, device, [&](const cudaDeviceProp& properties) {
        return give(uuid, properties.uuid);
    });
}

Result cuDeviceTotalMem_v2(size_t* bytes, int device) {
    return with_properties(__func__, device, [&](const cudaDeviceProp& properties) {
        return give(bytes, properties.totalGlobalMem);
    });
}

/// The numbers of the attributes are the runtime's.
Result cuDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return call(__func__, [&] { return cudaDeviceGetAttribute(value, attribute, device); });
}

Result cuDeviceComputeCapability(int* major, int* minor, int device) {
    return with_properties(__func__, device, [&](const cudaDeviceProp& properties) {
        const Result error = give(major, properties.major);
        return error != kSuccess ? error : give(minor, properties.minor);
    });
}

Result cuDeviceGetProperties(OldProperties* old, int device) {
    return with_properties(__func__, device, [&](const cudaDeviceProp& p) {
        int clock_rate = 0;
        cudaDeviceGetAttribute(&clock_rate, cudaDevAttrClockRate, device);
        return give(old, OldProperties{p.maxThreadsPerBlock,
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

Result cuDeviceGetPCIBusId(char* text, int length, int device) {
    return call(__func__, [&] { return cudaDeviceGetPCIBusId(text, length, device); });
}

Result cuDeviceGetByPCIBusId(int* device, const char* text) {
    return call(__func__, [&] { return cudaDeviceGetByPCIBusId(device, text); });
}

Result cuDeviceCanAccessPeer(int* can, int device, int peer) {
    return call(__func__, [&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}

Result cuDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
    return call(__func__,
                [&] { return cudaDeviceGetP2PAttribute(value, attribute, device, peer); });
}

Result cuDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return call(__func__, [&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}

Result cuDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return call(__func__, [&] { return cudaDeviceGetMemPool(pool, device); });
}

Result cuDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return call(__func__, [&] { return cudaDeviceSetMemPool(device, pool); });
}

Result cuProfilerStart() {
    return same(__func__, cudaProfilerStart);
}

Result cuProfilerStop() {
    return same(__func__, cudaProfilerStop);
}

}  // extern "C"
