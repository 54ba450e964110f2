// Implements stream-ordered allocation. Work in a stream is complete when its call returns, so
// memory is allocated and freed immediately, and a pool never retains memory. The simulator's pools
// only keep counts and settings.
#include "simulator/cudart/memory_pools.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "simulator/base/types.h"
#include "simulator/cudart/capture.h"
#include "simulator/cudart/handles.h"
#include "simulator/cudart/stream_order.h"
#include "simulator/cudart/streams.h"
#include "simulator/memory/device_memory.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

struct MemoryPool {
    std::map<cudaMemPoolAttr, int> switch_values = {{cudaMemPoolReuseFollowEventDependencies, 1},
                                                    {cudaMemPoolReuseAllowOpportunistic, 1},
                                                    {cudaMemPoolReuseAllowInternalDependencies, 1}};
    u64 release_threshold_bytes = 0;
    u64 used_bytes = 0, peak_used_bytes = 0;  ///< in bytes
};

/// The default pool and the current pool of the device, and the pools that the program has created.
class MemoryPools {
public:
    static MemoryPools& instance() {
        static MemoryPools& pools = *new MemoryPools;
        return pools;
    }
    cudaMemPool_t default_pool() { return reinterpret_cast<cudaMemPool_t>(&default_pool_); }
    cudaMemPool_t current_pool() { return current_pool_; }
    MemoryPool& find(cudaMemPool_t handle) {
        MemoryPool* pool = handle == default_pool() ? &default_pool_ : created_pools_.find(handle);
        require(pool);
        return *pool;
    }
    void set_current(cudaMemPool_t handle) {
        find(handle);
        current_pool_ = handle;
    }
    cudaMemPool_t create_pool() { return created_pools_.add({}); }
    void destroy_pool(cudaMemPool_t handle) {
        std::lock_guard lock(mutex_);
        require(created_pools_.destroy(handle));
        if (current_pool_ == handle) current_pool_ = default_pool();
        std::erase_if(owning_pools_,
                      [&](const auto& entry) { return entry.second.pool == handle; });
    }
    void record_allocation(cudaMemPool_t handle, const void* pointer, u64 bytes) {
        std::lock_guard lock(mutex_);
        MemoryPool& pool = find(handle);
        owning_pools_[pointer] = {handle, bytes};
        pool.used_bytes += bytes;
        pool.peak_used_bytes = std::max(pool.peak_used_bytes, pool.used_bytes);
    }
    void record_freed(const void* pointer) {
        std::lock_guard lock(mutex_);
        const auto owning_pool = owning_pools_.find(pointer);
        if (owning_pool == owning_pools_.end()) return;
        find(owning_pool->second.pool).used_bytes -= owning_pool->second.bytes;
        owning_pools_.erase(owning_pool);
    }

private:
    struct OwningPool {
        cudaMemPool_t pool;
        u64 bytes;
    };

    std::mutex mutex_;
    MemoryPool default_pool_;
    std::atomic<cudaMemPool_t> current_pool_ = default_pool();
    HandleTable<cudaMemPool_t, MemoryPool> created_pools_;
    std::map<const void*, OwningPool> owning_pools_;  ///< the pool and size of each live allocation
};

MemoryPool& find_pool(cudaMemPool_t handle) {
    return MemoryPools::instance().find(handle);
}

int* find_switch_value(MemoryPool& pool, cudaMemPoolAttr attribute) {
    const auto found = pool.switch_values.find(attribute);
    return found == pool.switch_values.end() ? nullptr : &found->second;
}

void get_attribute(MemoryPool& pool, cudaMemPoolAttr attribute, void* value) {
    if (const int* found = find_switch_value(pool, attribute))
        return store_output(static_cast<int*>(value), *found);
    u64* wide_value = static_cast<u64*>(value);
    switch (attribute) {
        case cudaMemPoolAttrReleaseThreshold:
            return store_output(wide_value, pool.release_threshold_bytes);
        // A pool reserves no more memory than is in use.
        case cudaMemPoolAttrReservedMemCurrent:
        case cudaMemPoolAttrUsedMemCurrent: return store_output(wide_value, pool.used_bytes);
        case cudaMemPoolAttrReservedMemHigh:
        case cudaMemPoolAttrUsedMemHigh: return store_output(wide_value, pool.peak_used_bytes);
        default: fail();
    }
}

void set_attribute(MemoryPool& pool, cudaMemPoolAttr attribute, void* value) {
    if (int* found = find_switch_value(pool, attribute)) {
        *found = *static_cast<int*>(value);
        return;
    }
    switch (attribute) {
        case cudaMemPoolAttrReleaseThreshold:
            pool.release_threshold_bytes = *static_cast<u64*>(value);
            return;
        case cudaMemPoolAttrReservedMemHigh:
        case cudaMemPoolAttrUsedMemHigh:
            // A high-water mark can only be reset to 0.
            require(*static_cast<u64*>(value) == 0);
            pool.peak_used_bytes = pool.used_bytes;
            return;
        default: fail();
    }
}

void store_pool(cudaMemPool_t* handle, int device, cudaMemPool_t pool) {
    require(handle);
    require(device == 0, cudaErrorInvalidDevice);
    *handle = pool;
}

/// Returns the ID of the device that `location` names. The functions of CUDA 13.0 identify devices
/// by such locations.
int require_device(const cudaMemLocation* location, cudaMemAllocationType type) {
    require(location);
    if (location->type != cudaMemLocationTypeDevice || type != cudaMemAllocationTypePinned)
        fail_not_simulated("a memory pool for anything other than device memory");
    return location->id;
}

void use_pool(int device, cudaMemPool_t handle) {
    require(device == 0, cudaErrorInvalidDevice);
    MemoryPools::instance().set_current(handle);
}

void allocate_in_stream(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    check_stream(stream);
    find_pool(pool);
    check_default_stream_order(stream);
    if (const auto capture = find_capture(stream))
        return capture_allocation(capture, stream, pointer, bytes);
    const StreamWork work(stream);
    allocate_device(pointer, bytes);
    const u64 begin = reinterpret_cast<u64>(*pointer);
    if (AccessedRanges* const ranges = StreamWork::ranges(); ranges != nullptr && begin != 0)
        ranges->add(AccessedRanges::kWrites, begin, begin + bytes);
    // The pool's settings (cudaMemPoolSetAccess) decide which devices have access to this memory,
    // but the simulator does not check them.
    if (begin != 0) memory().set_device(begin, Allocation::kAllDevices);
    if (*pointer) MemoryPools::instance().record_allocation(pool, *pointer, bytes);
}

void free_in_stream(void* pointer, cudaStream_t stream) {
    check_stream(stream);
    check_default_stream_order(stream);
    if (const auto capture = find_capture(stream)) return capture_free(capture, stream, pointer);
    const StreamWork work(stream);
    if (const auto allocation = memory().find(reinterpret_cast<u64>(pointer)))
        StreamWork::record_freed_range(allocation->begin, allocation->end);
    free_device(pointer);
}

}  // namespace

namespace coalesce::simulator::cudart {

void record_freed_in_pools(const void* pointer) {
    MemoryPools::instance().record_freed(pointer);
}

}  // namespace coalesce::simulator::cudart

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    return run_device_call(__func__, allocate_in_stream, pointer, bytes,
                           MemoryPools::instance().current_pool(), stream);
}
COALESCE_PER_THREAD_STREAM(cudaMallocAsync, _ptsz);

COALESCE_BY(run_device_call, cudaMallocFromPoolAsync, allocate_in_stream, 4);
COALESCE_PER_THREAD_STREAM(cudaMallocFromPoolAsync, _ptsz);

COALESCE_BY(run_device_call, cudaFreeAsync, free_in_stream, 2);
COALESCE_PER_THREAD_STREAM(cudaFreeAsync, _ptsz);

// ---- pools ----

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return run_device_call(
        __func__, [&] { store_pool(pool, device, MemoryPools::instance().default_pool()); });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return run_device_call(
        __func__, [&] { store_pool(pool, device, MemoryPools::instance().current_pool()); });
}

COALESCE_BY(run_device_call, cudaDeviceSetMemPool, use_pool, 2);

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
    return run_device_call(__func__, [&] {
        store_pool(pool, require_device(location, type), MemoryPools::instance().default_pool());
    });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                              cudaMemAllocationType type) {
    return run_device_call(__func__, [&] {
        store_pool(pool, require_device(location, type), MemoryPools::instance().current_pool());
    });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type,
                              cudaMemPool_t handle) {
    return run_device_call(__func__, [&] { use_pool(require_device(location, type), handle); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    return run_device_call(__func__, [&] {
        require(pool && properties);
        if (properties->handleTypes != cudaMemHandleTypeNone)
            fail_not_simulated("sharing a memory pool with other processes");
        if (properties->location.type != cudaMemLocationTypeDevice)
            fail_not_simulated("a memory pool for anything other than device memory");
        require(properties->location.id == 0, cudaErrorInvalidDevice);
        *pool = MemoryPools::instance().create_pool();
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
    return run_device_call(__func__, [&] { MemoryPools::instance().destroy_pool(handle); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
    return run_device_call(__func__, [&] { find_pool(handle); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return run_device_call(__func__, [&] {
        require(value);
        get_attribute(find_pool(handle), attribute, value);
    });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return run_device_call(__func__, [&] {
        require(value);
        set_attribute(find_pool(handle), attribute, value);
    });
}

/// Has no effect, because a device can always access its own memory, and all devices share one
/// memory.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* access_descriptions,
                                 size_t count) {
    return run_device_call(__func__, [&] {
        require(count == 0 || access_descriptions);
        find_pool(handle);
        for (size_t i = 0; i < count; ++i) {
            require(access_descriptions[i].location.id == 0, cudaErrorInvalidDevice);
            require(access_descriptions[i].flags == cudaMemAccessFlagsProtReadWrite);
        }
    });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle,
                                 cudaMemLocation* location) {
    return run_device_call(__func__, [&] {
        require(flags && location);
        require(location->id == 0, cudaErrorInvalidDevice);
        find_pool(handle);
        *flags = cudaMemAccessFlagsProtReadWrite;
    });
}
