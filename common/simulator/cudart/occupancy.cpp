// How many blocks fit on a multiprocessor of the simulated device, and the largest clusters.
#include <algorithm>

#include "base/device_model.h"
#include "cudart/api.h"
#include "cudart/modules.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// 0 when the block fits nowhere, which is an answer and not an error.
cudaError_t active_blocks(int* blocks, const void* function, int threads, size_t dynamic_shared) {
    if (!blocks || threads <= 0) return cudaErrorInvalidValue;
    KernelHandle* handle = nullptr;
    if (const cudaError_t error = Modules::instance().find_ready(function, handle)) return error;
    if (threads > static_cast<int>(DeviceModel::max_threads_per_block) ||
        dynamic_shared > handle->dynamic_shared_limit()) {
        *blocks = 0;
        return cudaSuccess;
    }
    *blocks = static_cast<int>(Device::blocks_per_multiprocessor(
        *handle->kernel, static_cast<u32>(threads), static_cast<u32>(dynamic_shared)));
    return cudaSuccess;
}

/// Blocks of `config` on the whole device.
cudaError_t resident_blocks(u64& blocks, const void* function, const cudaLaunchConfig_t* config) {
    if (!config) return cudaErrorInvalidValue;
    const u64 threads = u64{config->blockDim.x} * config->blockDim.y * config->blockDim.z;
    if (threads == 0 || threads > DeviceModel::max_threads_per_block) return cudaErrorInvalidValue;
    int per_multiprocessor = 0;
    const cudaError_t error = active_blocks(&per_multiprocessor, function,
                                            static_cast<int>(threads), config->dynamicSmemBytes);
    blocks = static_cast<u64>(per_multiprocessor) * DeviceModel::multiprocessors;
    return error;
}

u64 cluster_size(const cudaLaunchConfig_t& config) {
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
        const auto& c = config.attrs[i].val.clusterDim;
        return u64{c.x} * c.y * c.z;
    }
    return 1;
}

}  // namespace

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, size_t dynamic_shared) {
    return api(__func__, [&] { return active_blocks(blocks, function, threads, dynamic_shared); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, size_t dynamic_shared, unsigned flags) {
    return api(__func__, [&] {
        if (flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
        return active_blocks(blocks, function, threads, dynamic_shared);
    });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                      int blocks, int threads) {
    return api(__func__, [&] {
        if (!bytes || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
        KernelHandle* handle = nullptr;
        if (const cudaError_t error = Modules::instance().find_ready(function, handle))
            return error;
        const u32 share = DeviceModel::shared_per_multiprocessor / static_cast<u32>(blocks);
        const u32 used = handle->kernel->static_shared;
        *bytes = std::min(share > used ? share - used : 0, handle->dynamic_shared_limit());
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t* config) {
    return api(__func__, [&] {
        if (!size) return cudaErrorInvalidValue;
        u64 blocks = 0;
        cudaError_t error = resident_blocks(blocks, function, config);
        KernelHandle* handle = nullptr;
        if (error == cudaSuccess) error = Modules::instance().find(function, handle);
        if (error != cudaSuccess) return error;
        *size = blocks == 0 ? 0 : handle->non_portable_cluster ? 16 : 8;
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
    return api(__func__, [&] {
        if (!clusters) return cudaErrorInvalidValue;
        u64 blocks = 0;
        if (const cudaError_t error = resident_blocks(blocks, function, config)) return error;
        const u64 size = cluster_size(*config);
        if (size == 0) return cudaErrorInvalidClusterSize;
        *clusters = static_cast<int>(blocks / size);
        return cudaSuccess;
    });
}
