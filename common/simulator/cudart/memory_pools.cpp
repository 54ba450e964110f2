// Stream-ordered allocation. Work in a stream is done when its call returns, so memory can be had
// and given back at once, and a pool has nothing to keep: pools here count, and remember their
// settings.
#include "cudart/memory_pools.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "base/types.h"
#include "cudart/capture.h"
#include "cudart/graph_memory.h"
#include "cudart/streams.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

struct Pool {
    int reuse_follow_event_dependencies = 1;
    int reuse_allow_opportunistic = 1;
    int reuse_allow_internal_dependencies = 1;
    u64 release_threshold = 0;
    u64 used = 0, most_used = 0;  ///< bytes
};

/// The device's own pool, the one in use, and those that the program made.
class Pools {
public:
    static Pools& instance() {
        static Pools& pools = *new Pools;
        return pools;
    }
    Pool* standard() { return &standard_; }
    Pool* current() {
        std::lock_guard lock(mutex_);
        return current_;
    }
    bool use(Pool* pool) {
        std::lock_guard lock(mutex_);
        if (!known(pool)) return false;
        current_ = pool;
        return true;
    }
    Pool* create() {
        std::lock_guard lock(mutex_);
        return *created_.insert(new Pool).first;
    }
    bool destroy(Pool* pool) {
        std::lock_guard lock(mutex_);
        if (!created_.erase(pool)) return false;
        if (current_ == pool) current_ = &standard_;
        std::erase_if(owners_, [&](const auto& entry) { return entry.second.pool == pool; });
        delete pool;
        return true;
    }
    Pool* find(cudaMemPool_t handle) {
        std::lock_guard lock(mutex_);
        Pool* pool = reinterpret_cast<Pool*>(handle);
        return known(pool) ? pool : nullptr;
    }
    void note_allocation(Pool* pool, const void* pointer, u64 bytes) {
        std::lock_guard lock(mutex_);
        owners_[pointer] = {pool, bytes};
        pool->used += bytes;
        pool->most_used = std::max(pool->most_used, pool->used);
    }
    void note_freed(const void* pointer) {
        std::lock_guard lock(mutex_);
        const auto owner = owners_.find(pointer);
        if (owner == owners_.end()) return;
        owner->second.pool->used -= owner->second.bytes;
        owners_.erase(owner);
    }

private:
    struct Owner {
        Pool* pool;
        u64 bytes;
    };
    bool known(Pool* pool) const { return pool == &standard_ || created_.contains(pool); }

    std::mutex mutex_;
    Pool standard_;
    Pool* current_ = &standard_;
    std::set<Pool*> created_;
    std::map<const void*, Owner> owners_;  ///< of the memory that is in use
};

cudaMemPool_t handle_of(Pool* pool) {
    return reinterpret_cast<cudaMemPool_t>(pool);
}

Pool& find_pool(cudaMemPool_t handle) {
    Pool* pool = Pools::instance().find(handle);
    need(pool);
    return *pool;
}

int* switch_of(Pool& pool, cudaMemPoolAttr attribute) {
    switch (attribute) {
        case cudaMemPoolReuseFollowEventDependencies: return &pool.reuse_follow_event_dependencies;
        case cudaMemPoolReuseAllowOpportunistic: return &pool.reuse_allow_opportunistic;
        case cudaMemPoolReuseAllowInternalDependencies:
            return &pool.reuse_allow_internal_dependencies;
        default: return nullptr;
    }
}

void get(Pool& pool, cudaMemPoolAttr attribute, void* value) {
    if (const int* found = switch_of(pool, attribute))
        return give(static_cast<int*>(value), *found);
    u64* number = static_cast<u64*>(value);
    switch (attribute) {
        case cudaMemPoolAttrReleaseThreshold: return give(number, pool.release_threshold);
        // A pool holds no more than what is in use.
        case cudaMemPoolAttrReservedMemCurrent:
        case cudaMemPoolAttrUsedMemCurrent: return give(number, pool.used);
        case cudaMemPoolAttrReservedMemHigh:
        case cudaMemPoolAttrUsedMemHigh: return give(number, pool.most_used);
        default: fail();
    }
}

void set(Pool& pool, cudaMemPoolAttr attribute, void* value) {
    if (int* found = switch_of(pool, attribute)) {
        *found = *static_cast<int*>(value);
        return;
    }
    switch (attribute) {
        case cudaMemPoolAttrReleaseThreshold:
            pool.release_threshold = *static_cast<u64*>(value);
            return;
        case cudaMemPoolAttrReservedMemHigh:
        case cudaMemPoolAttrUsedMemHigh:
            // A high-water mark may only be set back.
            need(*static_cast<u64*>(value) == 0);
            pool.most_used = pool.used;
            return;
        default: fail();
    }
}

void give_pool(cudaMemPool_t* handle, int device, Pool* pool) {
    need(handle);
    need(device == 0, cudaErrorInvalidDevice);
    *handle = handle_of(pool);
}

/// The device that the 13.0 calls name by its location.
int device_at(const cudaMemLocation* location, cudaMemAllocationType type) {
    need(location);
    if (location->type != cudaMemLocationTypeDevice || type != cudaMemAllocationTypePinned)
        not_simulated("a memory pool that is not the device's");
    return location->id;
}

void use_pool(int device, cudaMemPool_t handle) {
    need(device == 0, cudaErrorInvalidDevice);
    need(Pools::instance().use(&find_pool(handle)));
}

/// In a captured stream it is a graph that allocates.
void capture_allocation(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                        void** pointer, size_t bytes) {
    need(pointer && bytes > 0);
    AllocateWork work = describe_allocation(bytes);
    *pointer = work.parameters.dptr;
    capture_work(capture, stream, std::move(work));
}

void allocate_in_stream(Pool& pool, void** pointer, size_t bytes, cudaStream_t stream) {
    check_order(stream);
    if (const auto capture = capture_of(stream))
        return capture_allocation(capture, stream, pointer, bytes);
    allocate_device(pointer, bytes);
    if (*pointer) Pools::instance().note_allocation(&pool, *pointer, bytes);
}

void free_in_stream(void* pointer, cudaStream_t stream) {
    check_order(stream);
    const auto capture = capture_of(stream);
    if (!capture) return free_device(pointer);
    FreeWork work{find_graph_memory(pointer)};
    if (!work.memory) refuse("what a graph frees, a graph must have allocated.");
    capture_work(capture, stream, std::move(work));
}

}  // namespace

namespace coalesce::sim::cudart {

void note_freed_in_pools(const void* pointer) {
    Pools::instance().note_freed(pointer);
}

}  // namespace coalesce::sim::cudart

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    return on_stream(__func__, stream, [&] {
        allocate_in_stream(*Pools::instance().current(), pointer, bytes, stream);
    });
}
COALESCE_PER_THREAD_STREAM(cudaMallocAsync, _ptsz);

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t handle,
                                    cudaStream_t stream) {
    return on_stream(__func__, stream,
                     [&] { allocate_in_stream(find_pool(handle), pointer, bytes, stream); });
}
COALESCE_PER_THREAD_STREAM(cudaMallocFromPoolAsync, _ptsz);

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return on_stream(__func__, stream, [&] { free_in_stream(pointer, stream); });
}
COALESCE_PER_THREAD_STREAM(cudaFreeAsync, _ptsz);

// ---- pools ----

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return api(__func__, [&] { give_pool(pool, device, Pools::instance().standard()); });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return api(__func__, [&] { give_pool(pool, device, Pools::instance().current()); });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
    return api(__func__, [&] { use_pool(device, handle); });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
    return api(__func__,
               [&] { give_pool(pool, device_at(location, type), Pools::instance().standard()); });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                              cudaMemAllocationType type) {
    return api(__func__,
               [&] { give_pool(pool, device_at(location, type), Pools::instance().current()); });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type,
                              cudaMemPool_t handle) {
    return api(__func__, [&] { use_pool(device_at(location, type), handle); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    return api(__func__, [&] {
        need(pool && properties);
        if (properties->handleTypes != cudaMemHandleTypeNone)
            not_simulated("sharing a memory pool with other processes");
        if (properties->location.type != cudaMemLocationTypeDevice)
            not_simulated("a memory pool that is not the device's");
        need(properties->location.id == 0, cudaErrorInvalidDevice);
        *pool = handle_of(Pools::instance().create());
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
    return api(__func__, [&] { need(Pools::instance().destroy(&find_pool(handle))); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
    return api(__func__, [&] { find_pool(handle); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return api(__func__, [&] {
        need(value);
        get(find_pool(handle), attribute, value);
    });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return api(__func__, [&] {
        need(value);
        set(find_pool(handle), attribute, value);
    });
}

/// The one device can always reach its own memory, and there is no other to grant access to.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* list,
                                 size_t count) {
    return api(__func__, [&] {
        need(count == 0 || list);
        find_pool(handle);
        for (size_t i = 0; i < count; ++i) {
            need(list[i].location.id == 0, cudaErrorInvalidDevice);
            need(list[i].flags == cudaMemAccessFlagsProtReadWrite);
        }
    });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle,
                                 cudaMemLocation* location) {
    return api(__func__, [&] {
        need(flags && location);
        need(location->id == 0, cudaErrorInvalidDevice);
        find_pool(handle);
        *flags = cudaMemAccessFlagsProtReadWrite;
    });
}
