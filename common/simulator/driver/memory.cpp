// Memory: allocate, free, and what a pointer is. A CUdeviceptr is a void* here.
#include "driver/boxes.h"
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

int get_attribute(void* value, int attribute, const void* pointer) {
    cudaPointerAttributes found{};
    void* begin = nullptr;
    size_t bytes = 0;
    if (!value) return kInvalidValue;
    if (const cudaError_t error = cudaPointerGetAttributes(&found, pointer)) return error;
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

COALESCE_BY(allocate, cuMemAlloc_v2, cudaMalloc, 2);
COALESCE_SAME(cuMemFree_v2, cudaFree, 1);

/// The size of the elements decides nothing: rows begin at multiples of 512 bytes.
Result cuMemAllocPitch_v2(void** pointer, size_t* pitch, size_t width, size_t height, unsigned) {
    return same(__func__, cudaMallocPitch, pointer, pitch, width, height);
}

COALESCE_BY(allocate, cuMemAllocManaged, cudaMallocManaged, 3);
COALESCE_SAME(cuMemGetInfo_v2, cudaMemGetInfo, 2);

Result cuMemGetAddressRange_v2(void** begin, size_t* bytes, const void* pointer) {
    return in_context(__func__, [&] {
        return coalesceFindAllocation(pointer, begin, bytes) == 0 ? kSuccess : kNotFound;
    });
}

// ---- in streams, from pools ----

COALESCE_BY(allocate, cuMemAllocAsync, cudaMallocAsync, 3);
COALESCE_PER_THREAD_STREAM(cuMemAllocAsync, _ptsz);
COALESCE_BY(allocate, cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync, 4);
COALESCE_PER_THREAD_STREAM(cuMemAllocFromPoolAsync, _ptsz);
COALESCE_SAME_IN_STREAM(cuMemFreeAsync, cudaFreeAsync, 2);
COALESCE_SAME_ANYWHERE(cuMemPoolCreate, cudaMemPoolCreate, 2);
COALESCE_SAME_ANYWHERE(cuMemPoolDestroy, cudaMemPoolDestroy, 1);
COALESCE_SAME_ANYWHERE(cuMemPoolTrimTo, cudaMemPoolTrimTo, 2);
COALESCE_SAME_ANYWHERE(cuMemPoolGetAttribute, cudaMemPoolGetAttribute, 3);
COALESCE_SAME_ANYWHERE(cuMemPoolSetAttribute, cudaMemPoolSetAttribute, 3);

// ---- the host's ----

COALESCE_BY(allocate, cuMemAllocHost_v2, cudaMallocHost, 2);
COALESCE_BY(allocate, cuMemHostAlloc, cudaHostAlloc, 3);
COALESCE_SAME(cuMemFreeHost, cudaFreeHost, 1);
COALESCE_SAME(cuMemHostRegister_v2, cudaHostRegister, 3);
COALESCE_SAME(cuMemHostUnregister, cudaHostUnregister, 1);
COALESCE_SAME(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer, 3);
COALESCE_SAME(cuMemHostGetFlags, cudaHostGetFlags, 2);

// ---- advice, and questions ----

COALESCE_SAME_IN_STREAM(cuMemPrefetchAsync_v2, cudaMemPrefetchAsync, 5);
COALESCE_SAME(cuMemAdvise_v2, cudaMemAdvise, 4);

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
