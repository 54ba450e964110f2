// The device as a whole: which one, how it waits, its limits, and the end of its context.
#include <algorithm>
#include <set>
#include <utility>

#include "base/options.h"
#include "cudart/arrays.h"
#include "cudart/capture.h"
#include "cudart/devices.h"
#include "cudart/graph_memory.h"
#include "cudart/graphs.h"
#include "cudart/leaks.h"
#include "cudart/modules.h"
#include "cudart/streams.h"
#include "execute/device_calls.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// CUDA 13.0, the version whose interface this library has.
constexpr int kVersion = 13000;

// ---- flags ----

unsigned device_flags = cudaDeviceMapHost;

cudaError_t set_flags(unsigned flags) {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    const bool one_way_to_wait = (schedule & (schedule - 1)) == 0;
    if ((flags & ~cudaDeviceMask) || !one_way_to_wait) return cudaErrorInvalidValue;
    device_flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
}

// ---- limits ----

/// Local memory that hardware can give a thread.
constexpr size_t kMaxStack = 512 * 1024;

/// None of these is enforced: the printf buffer, say, grows as it must.
struct Limits {
    size_t printf_bytes = 8650752;
    size_t pending_launches = 2048;
    size_t l2_fetch_bytes = 64;
    size_t persisting_l2_bytes = 0;
};
Limits limits;

size_t* stored_limit(cudaLimit limit) {
    switch (limit) {
        case cudaLimitPrintfFifoSize: return &limits.printf_bytes;
        case cudaLimitDevRuntimePendingLaunchCount: return &limits.pending_launches;
        case cudaLimitMaxL2FetchGranularity: return &limits.l2_fetch_bytes;
        case cudaLimitPersistingL2CacheSize: return &limits.persisting_l2_bytes;
        default: return nullptr;
    }
}

cudaError_t get_limit(size_t* value, cudaLimit limit) {
    if (limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitStackSize) {
        return give(value, static_cast<size_t>(Device::instance().stack_limit));
    }
    if (limit == cudaLimitMallocHeapSize) {
        return give(value, static_cast<size_t>(DeviceHeap::instance().size()));
    }
    const size_t* stored = stored_limit(limit);
    return stored ? give(value, *stored) : cudaErrorInvalidValue;
}

cudaError_t set_limit(cudaLimit limit, size_t value) {
    if (limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitStackSize) {
        if (value > kMaxStack) return cudaErrorInvalidValue;
        Device::instance().stack_limit = round_up(value, 16);
        return cudaSuccess;
    }
    if (limit == cudaLimitMallocHeapSize) {
        return DeviceHeap::instance().set_size(value) ? cudaSuccess : cudaErrorInvalidValue;
    }
    size_t* stored = stored_limit(limit);
    if (!stored) return cudaErrorInvalidValue;
    *stored = limit == cudaLimitMaxL2FetchGranularity ? std::min<size_t>(value, 128) : value;
    return cudaSuccess;
}

// ---- cache configuration: hints, kept for whoever asks ----

cudaFuncCache cache_config = cudaFuncCachePreferNone;

// ---- peers: all reach all, once that was asked for ----

/// Who may reach whom, as enabled by this process.
std::set<std::pair<int, int>> enabled_peers;

bool are_peers(int device, int peer) {
    return is_device(device) && is_device(peer) && device != peer;
}

cudaError_t enable_peer(int peer) {
    if (!is_device(peer)) return cudaErrorInvalidDevice;
    if (!are_peers(current_device(), peer)) return cudaErrorPeerAccessUnsupported;
    const bool is_new = enabled_peers.insert({current_device(), peer}).second;
    return is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
}

cudaError_t disable_peer(int peer) {
    if (!is_device(peer)) return cudaErrorInvalidDevice;
    const bool was_there = enabled_peers.erase({current_device(), peer}) > 0;
    return was_there ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
}

// ---- reset ----

cudaError_t reset() {
    if (context_is_broken()) {
        // As on hardware: a process whose context broke has lost its device.
        leave_broken_context();
        return cudaSuccess;
    }
    report_leaks();
    // Before their memory: graphs give theirs back.
    forget_captures();
    Graphs::instance().clear();
    trim_graph_memory();
    DeviceMemory& memory = Device::instance().memory();
    const auto table = memory.table();
    for (const Allocation& allocation : table->live) {
        if (!allocation.name.empty()) continue;  // a variable of a module
        switch (allocation.kind) {
            case AllocationKind::device:
            case AllocationKind::managed:
            case AllocationKind::array:
            case AllocationKind::pinned: memory.free(allocation.begin); break;
            case AllocationKind::registered:
                memory.unregister_host(reinterpret_cast<void*>(allocation.begin));
                break;
            case AllocationKind::variable:
            case AllocationKind::constant: break;  // their modules' business
        }
    }
    forget_arrays();
    forget_image_objects();
    forget_object_descriptions();
    enabled_peers.clear();
    forget_streams();
    forget_events();
    Modules::instance().reset();
    return cudaSuccess;
}

}  // namespace

namespace coalesce::sim::cudart {

int device_count() {
    return static_cast<int>(options().devices);
}

bool is_device(int device) {
    return device >= 0 && device < device_count();
}

cudaError_t check_device(int device) {
    return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
}

int& current_device() {
    thread_local int device = 0;
    return device;
}

}  // namespace coalesce::sim::cudart

// ---- which device ----

cudaError_t cudaGetDeviceCount(int* count) {
    return answer(__func__, [&] { return give(count, device_count()); });
}

cudaError_t cudaGetDevice(int* device) {
    return answer(__func__, [&] { return give(device, current_device()); });
}

cudaError_t cudaSetDevice(int device) {
    return answer(__func__, [&] {
        note_runtime_use();
        if (is_device(device)) current_device() = device;
        return check_device(device);
    });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return answer(__func__, [&] { return check_device(device); });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
    return answer(__func__, [&] { return wanted ? give(device, 0) : cudaErrorInvalidValue; });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
    return answer(__func__, [&] {
        if (count < 0 || (count > 0 && !devices)) return cudaErrorInvalidValue;
        const bool all_exist = std::all_of(devices, devices + count, is_device);
        return all_exist ? cudaSuccess : cudaErrorInvalidDevice;
    });
}

// ---- the context ----

cudaError_t cudaDeviceSynchronize() {
    return api(__func__, check_nothing_captured);
}

cudaError_t cudaDeviceReset() {
    return answer(__func__, reset);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return answer(__func__, [&] { return set_flags(flags); });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return answer(__func__, [&] { return give(flags, device_flags); });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    return api(__func__, [&] { return value ? get_limit(value, limit) : cudaErrorInvalidValue; });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    return api(__func__, [&] { return set_limit(limit, value); });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    return api(__func__, [&] { return give(config, cache_config); });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    return api(__func__, [&] {
        if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) {
            return cudaErrorInvalidValue;
        }
        cache_config = config;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    return api(__func__, [&] { return give(config, cudaSharedMemBankSizeFourByte); });
}

/// Banks are 4 bytes wide, whatever is asked for: so it is since compute capability 5.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
    return api(__func__, [] { return cudaSuccess; });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
    return api(__func__, [] { return cudaSuccess; });
}

// ---- peers ----

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return answer(__func__, [&] {
        if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
        return give(can, are_peers(device, peer) ? 1 : 0);
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return api(__func__, [&] { return flags != 0 ? cudaErrorInvalidValue : enable_peer(peer); });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return api(__func__, [&] { return disable_peer(peer); });
}

cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
    return answer(__func__, [] { return cudaErrorInvalidDevice; });
}

// ---- versions, profiler ----

cudaError_t cudaRuntimeGetVersion(int* version) {
    return answer(__func__, [&] { return give(version, kVersion); });
}

cudaError_t cudaDriverGetVersion(int* version) {
    return answer(__func__, [&] { return give(version, kVersion); });
}

extern "C" {

/// Counters are always on: there is nothing to start or stop.
cudaError_t cudaProfilerStart() {
    return answer(__func__, [] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
    return answer(__func__, [] { return cudaSuccess; });
}

}  // extern "C"

/// Describes a format; no device is needed.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}
