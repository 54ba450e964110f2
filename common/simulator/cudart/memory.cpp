// Implements allocation of device, pitched, pinned, registered and managed memory, and queries
// about pointers.
#include <cstring>
#include <map>
#include <mutex>

#include "simulator/cudart/addons.h"
#include "simulator/cudart/capture.h"
#include "simulator/cudart/devices.h"
#include "simulator/cudart/memory_pools.h"
#include "simulator/cudart/transfers.h"
#include "simulator/device/device.h"
#include "simulator/report/gaps.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// The row alignment of cudaMallocPitch in bytes, as on hardware.
constexpr size_t kPitchAlignment = 512;

u64 to_address(const void* pointer) {
    return reinterpret_cast<u64>(pointer);
}

void allocate_memory(void** pointer, size_t bytes, AllocationKind kind) {
    require(pointer);
    *pointer = nullptr;
    if (bytes == 0) return;
    const u64 address = memory().allocate(bytes, kind);
    if (address == 0)
        refuse(std::to_string(bytes) +
                   " bytes cannot be allocated: " + std::to_string(memory().bytes_in_use()) +
                   " of the device's " + std::to_string(memory().capacity()) + " bytes are in use.",
               cudaErrorMemoryAllocation);
    if (kind == AllocationKind::device) memory().set_device(address, current_device());
    *pointer = reinterpret_cast<void*>(address);
}

/// Fails with a message that explains why the pointer cannot be freed.
[[noreturn]] void refuse_free(const void* pointer) {
    const u64 address = to_address(pointer);
    if (const auto containing_allocation = memory().find(address)) {
        if (containing_allocation->begin == address)
            refuse("the memory was allocated by a different kind of call.");
        refuse("the pointer lies " + std::to_string(address - containing_allocation->begin) +
               " bytes into an allocation; pass the address at which the allocation begins.");
    }
    const auto table = memory().allocation_table();
    const Allocation* freed_allocation = table->find_freed(address);
    if (freed_allocation && freed_allocation->begin == address)
        refuse("the memory (" + std::to_string(freed_allocation->end - freed_allocation->begin) +
               " bytes, allocation " + std::to_string(freed_allocation->serial) +
               " of the program) was already freed.");
    refuse("the pointer does not belong to an allocation.");
}

/// Frees `pointer` if `is_allowed_kind` returns true for the kind of its allocation. Fails
/// otherwise.
template <class IsAllowedKind>
void free_pointer(void* pointer, IsAllowedKind is_allowed_kind) {
    if (!pointer) return;
    const auto allocation = memory().find(to_address(pointer));
    const bool is_variable = allocation && !allocation->name.empty();
    if (!allocation || is_variable || allocation->begin != to_address(pointer) ||
        !is_allowed_kind(allocation->kind))
        refuse_free(pointer);
    memory().free(allocation->begin);
}

bool is_device_kind(AllocationKind kind) {
    return kind == AllocationKind::device || kind == AllocationKind::managed;
}

void allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t rows) {
    require(pointer && pitch);
    size_t bytes = 0;
    require(width <= SIZE_MAX - kPitchAlignment, cudaErrorMemoryAllocation);
    *pitch = round_up(width, kPitchAlignment);
    require(!__builtin_mul_overflow(*pitch, rows, &bytes), cudaErrorMemoryAllocation);
    if (bytes == 0) *pitch = 0;
    allocate_memory(pointer, bytes, AllocationKind::device);
}

// ---- host memory ----

/// Stores the flags passed to cudaHostAlloc and cudaHostRegister, for cudaHostGetFlags.
class HostFlags {
public:
    static HostFlags& instance() {
        static HostFlags& flags = *new HostFlags;
        return flags;
    }
    void set_flags(const void* pointer, unsigned flags) {
        std::lock_guard lock(mutex_);
        // Every allocation is portable and mapped, because there is only one device memory and one
        // address space.
        flags_of_pointer_[pointer] = (flags & ~cudaHostAllocPortable) | cudaHostAllocMapped;
    }
    unsigned find_flags(u64 begin) {
        std::lock_guard lock(mutex_);
        const auto found = flags_of_pointer_.find(reinterpret_cast<const void*>(begin));
        return found == flags_of_pointer_.end() ? cudaHostAllocMapped : found->second;
    }
    void erase_flags(const void* pointer) {
        std::lock_guard lock(mutex_);
        flags_of_pointer_.erase(pointer);
    }

private:
    std::mutex mutex_;
    std::map<const void*, unsigned> flags_of_pointer_;
};

void allocate_host(void** pointer, size_t bytes, unsigned flags) {
    constexpr unsigned known_flags =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    require(!(flags & ~known_flags));
    allocate_memory(pointer, bytes, AllocationKind::pinned);
    if (*pointer) HostFlags::instance().set_flags(*pointer, flags);
}

bool is_host_kind(AllocationKind kind) {
    return kind == AllocationKind::pinned || kind == AllocationKind::registered;
}

void register_host(void* pointer, size_t bytes, unsigned flags) {
    constexpr unsigned known_flags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                     cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    require(pointer && bytes > 0 && !(flags & ~known_flags));
    require(!memory().is_device_range(to_address(pointer)));
    require(memory().register_host(pointer, bytes), cudaErrorHostMemoryAlreadyRegistered);
    HostFlags::instance().set_flags(pointer, flags);
    record_gap(Gap::host_accesses);
}

void unregister_host(void* pointer) {
    require(pointer && !memory().is_device_range(to_address(pointer)));
    require(memory().unregister_host(pointer), cudaErrorHostMemoryNotRegistered);
    HostFlags::instance().erase_flags(pointer);
}

/// Returns the allocation of pinned or registered memory that contains `pointer`.
Allocation find_host_memory(const void* pointer) {
    const auto allocation = memory().find(to_address(pointer));
    require(allocation && is_host_kind(allocation->kind));
    return *allocation;
}

void store_attributes(const void* pointer, cudaPointerAttributes& attributes) {
    std::memset(&attributes, 0, sizeof attributes);
    void* mutable_pointer = const_cast<void*>(pointer);
    const auto allocation = memory().find(to_address(pointer));
    if (!allocation) {
        attributes.type = cudaMemoryTypeUnregistered;
        attributes.device = cudaInvalidDeviceId;
        attributes.hostPointer = mutable_pointer;
        return;
    }
    attributes.device = 0;
    attributes.devicePointer = mutable_pointer;
    if (allocation->host_offset == 0) attributes.hostPointer = mutable_pointer;
    attributes.type = allocation->kind == AllocationKind::managed ? cudaMemoryTypeManaged
                      : is_host_kind(allocation->kind)            ? cudaMemoryTypeHost
                                                                  : cudaMemoryTypeDevice;
}

}  // namespace

namespace coalesce::simulator::cudart {

void allocate_device(void** pointer, size_t bytes) {
    allocate_memory(pointer, bytes, AllocationKind::device);
}

void free_device(void* pointer) {
    if (free_graph_memory(pointer)) return;
    free_pointer(pointer, is_device_kind);
    record_freed_in_pools(pointer);
}

}  // namespace coalesce::simulator::cudart

// ---- device ----

COALESCE_BY(run_capture_unsafe_call, cudaMalloc, allocate_device, 2);
/// As on hardware, cudaFree waits for all work.
static void wait_and_free(void* pointer) {
    record_host_wait_for_device();
    free_device(pointer);
}
COALESCE_BY(run_capture_unsafe_call, cudaFree, wait_and_free, 1);
COALESCE_BY(run_capture_unsafe_call, cudaMallocPitch, allocate_pitched, 4);

cudaError_t cudaMalloc3D(cudaPitchedPtr* block, cudaExtent extent) {
    return run_capture_unsafe_call(__func__, [&] {
        require(block);
        size_t rows = 0;
        require(!__builtin_mul_overflow(extent.height, extent.depth, &rows),
                cudaErrorMemoryAllocation);
        block->xsize = extent.width;
        block->ysize = extent.height;
        allocate_pitched(&block->ptr, &block->pitch, extent.width, rows);
    });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
    return run_device_call(__func__, [&] {
        require(free_bytes && total_bytes);
        *total_bytes = memory().capacity();
        *free_bytes = memory().capacity() - memory().bytes_in_use();
    });
}

// ---- managed ----

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
    return run_capture_unsafe_call(__func__, [&] {
        require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
        allocate_memory(pointer, bytes, AllocationKind::managed);
    });
}

namespace {

/// Checks that the range is managed memory. Otherwise ignores the advice, which concerns the
/// location of the memory.
void check_managed_range(const void* pointer, size_t bytes) {
    const auto allocation = memory().find(to_address(pointer));
    require(allocation && allocation->kind == AllocationKind::managed &&
            allocation->contains(to_address(pointer), bytes) && bytes > 0);
}

void check_location(const cudaMemLocation& location) {
    require(location.type != cudaMemLocationTypeDevice || is_device_index(location.id),
            cudaErrorInvalidDevice);
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    return run_stream_call(__func__, stream, [&] {
        require(flags == 0);
        if (find_capture(stream)) check_not_captured(stream);
        check_location(location);
        check_managed_range(pointer, bytes);
    });
}
COALESCE_PER_THREAD_STREAM(cudaMemPrefetchAsync, _ptsz);

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise,
                          cudaMemLocation location) {
    return run_device_call(__func__, [&] {
        check_location(location);
        check_managed_range(pointer, bytes);
    });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t, unsigned) {
    return run_stream_call(__func__, stream, [&] { return check_managed_range(pointer, 1); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamAttachMemAsync, _ptsz);

// ---- pinned and registered ----

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
    return run_capture_unsafe_call(__func__,
                                   [&] { allocate_host(pointer, bytes, cudaHostAllocDefault); });
}

COALESCE_BY(run_capture_unsafe_call, cudaHostAlloc, allocate_host, 3);

cudaError_t cudaFreeHost(void* pointer) {
    return run_capture_unsafe_call(__func__, [&] {
        record_host_wait_for_device();
        free_pointer(pointer, [](AllocationKind kind) { return kind == AllocationKind::pinned; });
        HostFlags::instance().erase_flags(pointer);
    });
}

COALESCE_BY(run_capture_unsafe_call, cudaHostRegister, register_host, 3);
COALESCE_BY(run_capture_unsafe_call, cudaHostUnregister, unregister_host, 1);

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* pointer, unsigned flags) {
    return run_device_call(__func__, [&] {
        require(device_pointer && flags == 0);
        find_host_memory(pointer);
        *device_pointer = pointer;
    });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
    return run_device_call(__func__, [&] {
        require(flags);
        *flags = HostFlags::instance().find_flags(find_host_memory(pointer).begin);
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return run_call(__func__, [&] {
        require(attributes);
        store_attributes(pointer, *attributes);
    });
}
