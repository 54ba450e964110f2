// Computes how many blocks fit on a multiprocessor of the simulated device, and the size of the
// largest clusters.
#include <algorithm>

#include "simulator/base/device_model.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/modules.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// Stores the number of blocks that fit on a multiprocessor. This number may be 0, which is not an
/// error.
void store_active_blocks(int* blocks, const void* function, int threads, size_t dynamic_shared) {
    require(blocks && threads > 0);
    const KernelHandle& handle = Modules::instance().find_prepared_kernel(function);
    const bool block_fits = threads <= static_cast<int>(DeviceModel::max_threads_per_block) &&
                            dynamic_shared <= handle.dynamic_shared_limit();
    *blocks =
        !block_fits
            ? 0
            : static_cast<int>(Device::blocks_per_multiprocessor(
                  *handle.kernel, static_cast<u32>(threads), static_cast<u32>(dynamic_shared)));
}

/// Returns how many of the blocks that `config` describes fit on one multiprocessor.
u64 count_resident_blocks(const void* function, const cudaLaunchConfig_t* config) {
    require(config);
    const u64 threads = u64{config->blockDim.x} * config->blockDim.y * config->blockDim.z;
    require(threads > 0 && threads <= DeviceModel::max_threads_per_block);
    int blocks_per_multiprocessor = 0;
    store_active_blocks(&blocks_per_multiprocessor, function, static_cast<int>(threads),
                        config->dynamicSmemBytes);
    return static_cast<u64>(blocks_per_multiprocessor);
}

/// Returns the number of blocks per cluster that the launch or the kernel specifies.
u64 cluster_size(const cudaLaunchConfig_t& config, const KernelHandle& handle) {
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
        const auto& cluster_shape = config.attrs[i].val.clusterDim;
        return u64{cluster_shape.x} * cluster_shape.y * cluster_shape.z;
    }
    const u32* compiled_shape = handle.kernel->ast->cluster;
    return compiled_shape[0] ? u64{compiled_shape[0]} * std::max(compiled_shape[1], 1u) *
                                   std::max(compiled_shape[2], 1u)
                             : 1;
}

u64 max_cluster_blocks(const KernelHandle& handle) {
    return handle.allows_nonportable_cluster ? DeviceModel::max_cluster_size
                                             : DeviceModel::portable_cluster_size;
}

}  // namespace

COALESCE_BY(run_device_call, cudaOccupancyMaxActiveBlocksPerMultiprocessor, store_active_blocks, 4);

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, size_t dynamic_shared, unsigned flags) {
    return run_device_call(__func__, [&] {
        require(flags <= cudaOccupancyDisableCachingOverride);
        store_active_blocks(blocks, function, threads, dynamic_shared);
    });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                      int blocks, int threads) {
    return run_device_call(__func__, [&] {
        require(bytes && blocks > 0 && threads > 0);
        const KernelHandle& handle = Modules::instance().find_prepared_kernel(function);
        const u32 shared_bytes_per_block =
            DeviceModel::shared_per_multiprocessor / static_cast<u32>(blocks);
        const u32 static_bytes = handle.kernel->static_shared_bytes;
        *bytes = std::min(
            shared_bytes_per_block > static_bytes ? shared_bytes_per_block - static_bytes : 0,
            handle.dynamic_shared_limit());
    });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t* config) {
    return run_device_call(__func__, [&] {
        require(size);
        const u64 blocks = count_resident_blocks(function, config);
        const KernelHandle& handle = Modules::instance().find_kernel(function);
        *size = blocks == 0 ? 0 : static_cast<int>(max_cluster_blocks(handle));
    });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
    return run_device_call(__func__, [&] {
        require(clusters);
        const u64 blocks = std::min<u64>(count_resident_blocks(function, config),
                                         DeviceModel::max_counted_cluster_blocks);
        const KernelHandle& handle = Modules::instance().find_kernel(function);
        const u64 size = cluster_size(*config, handle);
        require(size > 0 && size <= max_cluster_blocks(handle), cudaErrorInvalidClusterSize);
        u64 cluster_count = 0;
        for (const u64 group_size : DeviceModel::processor_groups)
            if (size <= group_size) cluster_count += group_size * blocks / size;
        *clusters = static_cast<int>(cluster_count);
    });
}
