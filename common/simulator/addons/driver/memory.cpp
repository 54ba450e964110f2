// Implements allocation, deallocation, and pointer attributes. A CUdeviceptr is a void* here.
#include "simulator/addons/driver/boxes.h"
#include "simulator/addons/driver/driver.h"

using namespace coalesce::simulator::driver;

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

/// Stores `value_to_write` in `*value`. T is the type of the queried attribute.
template <class T>
void write_value_as(void* value, std::type_identity_t<T> value_to_write) {
    *static_cast<T*>(value) = value_to_write;
}

void get_attribute(void* value, int attribute, const void* pointer) {
    cudaPointerAttributes found{};
    void* begin = nullptr;
    size_t bytes = 0;
    require(value);
    require_success(cudaPointerGetAttributes(&found, pointer));
    require(coalesceFindAllocation(pointer, &begin, &bytes));
    switch (attribute) {
        case kMemoryType:
            return write_value_as<unsigned>(value,
                                            found.type == cudaMemoryTypeHost ? kHost : kDevice);
        case kDevicePointer: return write_value_as<void*>(value, found.devicePointer);
        case kHostPointer:
            require(found.hostPointer);
            return write_value_as<void*>(value, found.hostPointer);
        case kIsManaged: return write_value_as<bool>(value, found.type == cudaMemoryTypeManaged);
        case kDeviceOrdinal: return write_value_as<int>(value, found.device);
        case kRangeBegin: return write_value_as<void*>(value, begin);
        case kRangeBytes: return write_value_as<size_t>(value, bytes);
        case kMapped: return write_value_as<bool>(value, true);
        default:
            coalesceDriverExplain("this pointer attribute is not simulated.");
            fail(cudaErrorNotSupported);
    }
}

/// Allocates memory. Unlike the runtime, the driver rejects requests for 0 bytes.
template <class... Parameters, class... Arguments>
Result allocate(const char* name, cudaError_t (*function)(Parameters...), void** pointer,
                size_t bytes, Arguments... other_arguments) {
    return call_with_context(name, [&] {
        require(bytes > 0);
        require_success(function(pointer, bytes, other_arguments...));
    });
}

}  // namespace

extern "C" {

COALESCE_BY(allocate, cuMemAlloc_v2, cudaMalloc, 2);
COALESCE_SAME(cuMemFree_v2, cudaFree, 1);

/// The last parameter, the element size, has no effect, because rows always begin at multiples of
/// 512 bytes.
Result cuMemAllocPitch_v2(void** pointer, size_t* pitch, size_t width, size_t height, unsigned) {
    return forward_with_context(__func__, cudaMallocPitch, pointer, pitch, width, height);
}

COALESCE_BY(allocate, cuMemAllocManaged, cudaMallocManaged, 3);
COALESCE_SAME(cuMemGetInfo_v2, cudaMemGetInfo, 2);

Result cuMemGetAddressRange_v2(void** begin, size_t* bytes, const void* pointer) {
    return call_with_context(
        __func__, [&] { require(coalesceFindAllocation(pointer, begin, bytes), kNotFound); });
}

// ---- stream-ordered allocation from pools ----

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

// ---- host memory ----

COALESCE_BY(allocate, cuMemAllocHost_v2, cudaMallocHost, 2);
COALESCE_BY(allocate, cuMemHostAlloc, cudaHostAlloc, 3);
COALESCE_SAME(cuMemFreeHost, cudaFreeHost, 1);
COALESCE_SAME(cuMemHostRegister_v2, cudaHostRegister, 3);
COALESCE_SAME(cuMemHostUnregister, cudaHostUnregister, 1);
COALESCE_SAME(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer, 3);
COALESCE_SAME(cuMemHostGetFlags, cudaHostGetFlags, 2);

// ---- advice and queries ----

COALESCE_SAME_IN_STREAM(cuMemPrefetchAsync_v2, cudaMemPrefetchAsync, 5);
COALESCE_SAME(cuMemAdvise_v2, cudaMemAdvise, 4);

Result cuPointerGetAttribute(void* value, int attribute, const void* pointer) {
    return call_with_context(__func__, [&] { get_attribute(value, attribute, pointer); });
}

/// Stores the values of the attributes. An attribute that the pointer does not have is stored as 0,
/// which is not an error.
Result cuPointerGetAttributes(unsigned count, const int* attributes, void** values,
                              const void* pointer) {
    return call_with_context(__func__, [&] {
        for (unsigned i = 0; i < count; ++i) {
            try {
                get_attribute(values[i], attributes[i], pointer);
            } catch (const Failure& failure) {
                if (failure.error == cudaErrorNotSupported) throw;
                if (values[i]) write_value_as<int>(values[i], 0);
            }
        }
    });
}

}  // extern "C"
