// Implements the functions that apply to a whole device: they select it, set its flags and limits,
// and reset it.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "simulator/base/options.h"
#include "simulator/cudart/addons.h"
#include "simulator/cudart/capture.h"
#include "simulator/cudart/devices.h"
#include "simulator/cudart/leaks.h"
#include "simulator/cudart/modules.h"
#include "simulator/cudart/streams.h"
#include "simulator/execute/device_calls.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// The runtime version whose interface this library implements: CUDA 13.0.
constexpr int kCudaVersion = 13000;

// ---- flags ----

unsigned device_flags = cudaDeviceMapHost;

void set_flags(unsigned flags) {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    const bool has_one_schedule = (schedule & (schedule - 1)) == 0;
    require(!(flags & ~cudaDeviceMask) && has_one_schedule);
    device_flags = flags | cudaDeviceMapHost;
}

// ---- limits ----

/// The maximum local memory per thread on hardware, in bytes.
constexpr size_t kMaxStackBytes = 512 * 1024;

/// Returns a reference to the stored value of a limit that the simulator does not enforce. The
/// printf buffer, for example, grows as needed.
size_t& find_stored_limit(cudaLimit limit) {
    static auto& stored_limits =
        *new std::map<cudaLimit, size_t>{{cudaLimitPrintfFifoSize, 8650752},
                                         {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                         {cudaLimitMaxL2FetchGranularity, 64},
                                         {cudaLimitPersistingL2CacheSize, 0}};
    require(limit != cudaLimitDevRuntimeSyncDepth, cudaErrorUnsupportedLimit);
    const auto found = stored_limits.find(limit);
    require(found != stored_limits.end());
    return found->second;
}

size_t get_limit(cudaLimit limit) {
    if (limit == cudaLimitStackSize) return Device::instance().stack_limit;
    if (limit == cudaLimitMallocHeapSize) return DeviceHeap::instance().size();
    return find_stored_limit(limit);
}

void set_limit(cudaLimit limit, size_t value) {
    if (limit == cudaLimitStackSize) {
        require(value <= kMaxStackBytes);
        Device::instance().stack_limit = round_up(value, 16);
    } else if (limit == cudaLimitMallocHeapSize) {
        require(DeviceHeap::instance().set_size(value));
    } else {
        const bool is_bounded = limit == cudaLimitMaxL2FetchGranularity;
        find_stored_limit(limit) = is_bounded ? std::min<size_t>(value, 128) : value;
    }
}

// ---- cache configuration, which is stored but has no effect ----

cudaFuncCache cache_config = cudaFuncCachePreferNone;

// ---- peers: a device can access any other device once the program enables this access ----

/// The pairs (device, peer) for which this process has enabled access.
std::set<std::pair<int, int>> enabled_peer_pairs;

bool are_peers(int device, int peer) {
    return is_device_index(device) && is_device_index(peer) && device != peer;
}

void enable_peer(int peer, unsigned flags) {
    require(flags == 0);
    check_device(peer);
    require(are_peers(current_device(), peer), cudaErrorPeerAccessUnsupported);
    const bool was_disabled = enabled_peer_pairs.insert({current_device(), peer}).second;
    require(was_disabled, cudaErrorPeerAccessAlreadyEnabled);
}

void disable_peer(int peer) {
    check_device(peer);
    const bool was_enabled = enabled_peer_pairs.erase({current_device(), peer}) > 0;
    require(was_enabled, cudaErrorPeerAccessNotEnabled);
}

// ---- reset ----

void reset_device() {
    // As on hardware, a process can no longer use its device once an error has broken the context.
    if (is_context_broken()) return reset_broken_context();
    record_host_wait_for_device();
    report_leaks();
    // Destroy graphs before freeing memory, because a graph frees the memory that it owns.
    forget_graphs();
    DeviceMemory& memory = Device::instance().memory();
    const auto table = memory.allocation_table();
    for (const Allocation& allocation : table->live_allocations) {
        if (!allocation.name.empty()) continue;  // a module's variable is freed with its module
        switch (allocation.kind) {
            case AllocationKind::device:
            case AllocationKind::managed:
            case AllocationKind::array:
            case AllocationKind::pinned: memory.free(allocation.begin); break;
            case AllocationKind::registered:
                memory.unregister_host(reinterpret_cast<void*>(allocation.begin));
                break;
            case AllocationKind::variable:
            case AllocationKind::constant: break;  // freed with its module
        }
    }
    forget_textures();
    enabled_peer_pairs.clear();
    forget_streams();
    forget_events();
    Modules::instance().unload_all();
}

}  // namespace

namespace coalesce::simulator::cudart {

int device_count() {
    return static_cast<int>(options().device_count);
}

bool is_device_index(int device) {
    return device >= 0 && device < device_count();
}

void check_device(int device) {
    require(is_device_index(device), cudaErrorInvalidDevice);
}

int& current_device() {
    thread_local int device = 0;
    return device;
}

u64 accessible_devices(int device) {
    u64 device_mask = u64{1} << device;
    for (const auto& [accessing_device, peer] : enabled_peer_pairs)
        if (accessing_device == device) device_mask |= u64{1} << peer;
    return device_mask;
}

}  // namespace coalesce::simulator::cudart

// ---- choosing a device ----

cudaError_t cudaGetDeviceCount(int* count) {
    return run_call(__func__, [&] { return store_output(count, device_count()); });
}

cudaError_t cudaGetDevice(int* device) {
    return run_call(__func__, [&] { return store_output(device, current_device()); });
}

cudaError_t cudaSetDevice(int device) {
    return run_call(__func__, [&] {
        record_runtime_use();
        check_device(device);
        current_device() = device;
    });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return run_call(__func__, [&] { return check_device(device); });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted_properties) {
    return run_call(__func__, [&] {
        require(wanted_properties);
        store_output(device, 0);
    });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
    return run_call(__func__, [&] {
        require(count == 0 || (count > 0 && devices));
        std::for_each(devices, devices + count, check_device);
    });
}

// ---- the context ----

static void wait_for_device() {
    check_nothing_captured();
    record_host_wait_for_device();
}

COALESCE_BY(run_device_call, cudaDeviceSynchronize, wait_for_device, 0);
COALESCE_BY(run_call, cudaDeviceReset, reset_device, 0);
COALESCE_BY(run_call, cudaSetDeviceFlags, set_flags, 1);

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return run_call(__func__, [&] { return store_output(flags, device_flags); });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    return run_device_call(__func__, [&] {
        require(value);
        *value = get_limit(limit);
    });
}

COALESCE_BY(run_device_call, cudaDeviceSetLimit, set_limit, 2);

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    return run_device_call(__func__, [&] { return store_output(config, cache_config); });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    return run_device_call(__func__, [&] {
        require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
        cache_config = config;
    });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    return run_device_call(__func__,
                           [&] { return store_output(config, cudaSharedMemBankSizeFourByte); });
}

/// Does nothing: as on all GPUs since compute capability 5, banks are always 4 bytes wide.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
    return run_device_call(__func__, [] {});
}

cudaError_t cudaCtxResetPersistingL2Cache() {
    return run_device_call(__func__, [] {});
}

// ---- peers ----

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
    return run_call(__func__, [&] {
        check_device(device);
        check_device(peer);
        store_output(can_access, are_peers(device, peer) ? 1 : 0);
    });
}

COALESCE_BY(run_device_call, cudaDeviceEnablePeerAccess, enable_peer, 2);
COALESCE_BY(run_device_call, cudaDeviceDisablePeerAccess, disable_peer, 1);

cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
    return run_call(__func__, [] { fail(cudaErrorInvalidDevice); });
}

// ---- versions, profiler ----

cudaError_t cudaRuntimeGetVersion(int* version) {
    return run_call(__func__, [&] { return store_output(version, kCudaVersion); });
}

cudaError_t cudaDriverGetVersion(int* version) {
    return run_call(__func__, [&] { return store_output(version, kCudaVersion); });
}

extern "C" {

/// Does nothing, because the counters are always on.
cudaError_t cudaProfilerStart() {
    return run_call(__func__, [] {});
}

cudaError_t cudaProfilerStop() {
    return run_call(__func__, [] {});
}

}  // extern "C"

/// Returns a description of a texel format. This call does not need a device.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}
