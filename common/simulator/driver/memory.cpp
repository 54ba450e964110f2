// Memory: allocate, free, and what a pointer is. A CUdeviceptr is a void* here.
#include "driver/driver.h"

using namespace coalesce::sim::driver;

namespace {

enum PointerAttribute {
    kMemoryType = 2,
    kDevicePointer = 3,
    kHostPointer = 4,
    kIsManaged = 8,
    kDeviceOrdinal = 9,
    kRangeBegin = 11,
    kRangeBytes = 12,
    kMapped = 13
};
enum MemoryType : unsigned { kHost = 1, kDevice = 2 };

int get_attribute(void* value, int attribute, const void* pointer) {
    cudaPointerAttributes found{};
    void* begin = nullptr;
    size_t bytes = 0;
    if (!value) return kInvalidValue;
    const cudaError_t error = cudaPointerGetAttributes(&found, pointer);
    if (error != cudaSuccess) return error;
    if (coalesceFindAllocation(pointer, &begin, &bytes) != 0) return kInvalidValue;
    switch (attribute) {
        case kMemoryType:
            return give(static_cast<unsigned*>(value),
                        found.type == cudaMemoryTypeHost ? kHost : kDevice);
        case kDevicePointer: return give(static_cast<void**>(value), found.devicePointer);
        case kHostPointer:
            return found.hostPointer ? give(static_cast<void**>(value), found.hostPointer)
                                     : kInvalidValue;
        case kIsManaged:
            return give(static_cast<bool*>(value), found.type == cudaMemoryTypeManaged);
        case kDeviceOrdinal: return give(static_cast<int*>(value), found.device);
        case kRangeBegin: return give(static_cast<void**>(value), begin);
        case kRangeBytes: return give(static_cast<size_t*>(value), bytes);
        case kMapped: return give(static_cast<bool*>(value), true);
        default:
            coalesceDriverExplain("this attribute of a pointer is not simulated.");
            return kNotSupported;
    }
}

/// Unlike the runtime, the driver has no memory of 0 bytes.
template <class... Parameters, class... Arguments>
Result allocate(const char* name, cudaError_t (*function)(Parameters...), void** pointer,
                size_t bytes, Arguments... rest) {
    return in_context(name, [&]() -> int {
        return bytes == 0 ? static_cast<int>(kInvalidValue) : function(pointer, bytes, rest...);
    });
}

}  // namespace

extern "C" {

Result cuMemAlloc_v2(void** pointer, size_t bytes) {
    return allocate(__func__, cudaMalloc, pointer, bytes);
}

Result cuMemFree_v2(void* pointer) {
    return same(__func__, cudaFree, pointer);
}

/// The size of the elements decides nothing: rows begin at multiples of 512 bytes.
Result cuMemAllocPitch_v2(void** pointer, size_t* pitch, size_t width, size_t height, unsigned) {
    return same(__func__, cudaMallocPitch, pointer, pitch, width, height);
}

Result cuMemAllocManaged(void** pointer, size_t bytes, unsigned flags) {
    return allocate(__func__, cudaMallocManaged, pointer, bytes, flags);
}

Result cuMemGetInfo_v2(size_t* free, size_t* total) {
    return same(__func__, cudaMemGetInfo, free, total);
}

Result cuMemGetAddressRange_v2(void** begin, size_t* bytes, const void* pointer) {
    return in_context(__func__, [&] {
        return coalesceFindAllocation(pointer, begin, bytes) == 0 ? kSuccess : kNotFound;
    });
}

// ---- in streams, from pools ----

Result cuMemAllocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    return allocate(__func__, cudaMallocAsync, pointer, bytes, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemAllocAsync, _ptsz);

Result cuMemAllocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                               cudaStream_t stream) {
    return allocate(__func__, cudaMallocFromPoolAsync, pointer, bytes, pool, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemAllocFromPoolAsync, _ptsz);

Result cuMemFreeAsync(void* pointer, cudaStream_t stream) {
    return same(__func__, cudaFreeAsync, pointer, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemFreeAsync, _ptsz);

Result cuMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    return call(__func__, [&] { return cudaMemPoolCreate(pool, properties); });
}

Result cuMemPoolDestroy(cudaMemPool_t pool) {
    return call(__func__, [&] { return cudaMemPoolDestroy(pool); });
}

Result cuMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
    return call(__func__, [&] { return cudaMemPoolTrimTo(pool, bytes); });
}

Result cuMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return call(__func__, [&] { return cudaMemPoolGetAttribute(pool, attribute, value); });
}

Result cuMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return call(__func__, [&] { return cudaMemPoolSetAttribute(pool, attribute, value); });
}

// ---- the host's ----

Result cuMemAllocHost_v2(void** pointer, size_t bytes) {
    return allocate(__func__, cudaMallocHost, pointer, bytes);
}

Result cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    return allocate(__func__, cudaHostAlloc, pointer, bytes, flags);
}

Result cuMemFreeHost(void* pointer) {
    return same(__func__, cudaFreeHost, pointer);
}

Result cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags) {
    return same(__func__, cudaHostRegister, pointer, bytes, flags);
}

Result cuMemHostUnregister(void* pointer) {
    return same(__func__, cudaHostUnregister, pointer);
}

Result cuMemHostGetDevicePointer_v2(void** device_pointer, void* pointer, unsigned flags) {
    return same(__func__, cudaHostGetDevicePointer, device_pointer, pointer, flags);
}

Result cuMemHostGetFlags(unsigned* flags, void* pointer) {
    return same(__func__, cudaHostGetFlags, flags, pointer);
}

// ---- advice, and questions ----

Result cuMemPrefetchAsync_v2(const void* pointer, size_t bytes, cudaMemLocation location,
                             unsigned flags, cudaStream_t stream) {
    return same(__func__, cudaMemPrefetchAsync, pointer, bytes, location, flags, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemPrefetchAsync_v2, _ptsz);

Result cuMemAdvise_v2(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                      cudaMemLocation location) {
    return same(__func__, cudaMemAdvise, pointer, bytes, advice, location);
}

Result cuPointerGetAttribute(void* value, int attribute, const void* pointer) {
    return in_context(__func__, [&] { return get_attribute(value, attribute, pointer); });
}

/// What a pointer has not is 0, and no error.
Result cuPointerGetAttributes(unsigned count, const int* attributes, void** values,
                              const void* pointer) {
    return in_context(__func__, [&]() -> int {
        for (unsigned i = 0; i < count; ++i) {
            const int error = get_attribute(values[i], attributes[i], pointer);
            if (error == kNotSupported) return error;
            if (error != kSuccess && values[i]) *static_cast<int*>(values[i]) = 0;
        }
        return kSuccess;
    });
}

}  // extern "C"
