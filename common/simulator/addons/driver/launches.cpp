// Implements launches and occupancy queries.
#include "simulator/addons/driver/driver.h"

using namespace coalesce::simulator::driver;

namespace {

/// A CUlaunchConfig, which uses the runtime's launch attributes.
struct LaunchConfig {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attributes;
    unsigned count;
};

cudaLaunchConfig_t to_runtime_config(const LaunchConfig& launch_config) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(launch_config.grid[0], launch_config.grid[1], launch_config.grid[2]);
    config.blockDim = dim3(launch_config.block[0], launch_config.block[1], launch_config.block[2]);
    config.dynamicSmemBytes = launch_config.shared_bytes;
    config.stream = launch_config.stream;
    config.attrs = launch_config.attributes;
    config.numAttrs = launch_config.count;
    return config;
}

/// Launches a kernel. Its arguments are either a list of addresses, or one buffer that `extra`
/// describes.
void launch(const LaunchConfig* launch_config, const void* function, void** arguments,
            void** extra) {
    require(launch_config && !(arguments && extra));
    const cudaLaunchConfig_t config = to_runtime_config(*launch_config);
    const auto launch_with = [&](void** list) {
        require_success(cudaLaunchKernelExC(&config, function, list));
    };
    if (extra)
        coalesceWithArguments(function, extra, launch_with);
    else
        launch_with(arguments);
}

/// Stores the block size that allows the most resident threads per multiprocessor.
void choose_block_size(int* grid, int* block, const void* function, size_t (*shared_of)(int block),
                       size_t shared_bytes, int limit, unsigned flags) {
    require(grid && block && flags <= cudaOccupancyDisableCachingOverride);
    cudaFuncAttributes attributes;
    int multiprocessors = 0, device = 0, max_resident_threads = 0;
    require_success(cudaFuncGetAttributes(&attributes, function));
    require_success(cudaGetDevice(&device));
    require_success(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    int max_threads = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < max_threads) max_threads = limit;
    for (int threads = max_threads; threads > 0; threads = (threads - 1) / 32 * 32) {
        int blocks = 0;
        require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, threads, shared_of ? shared_of(threads) : shared_bytes));
        if (blocks * threads <= max_resident_threads) continue;
        max_resident_threads = blocks * threads;
        *block = threads;
        *grid = blocks * multiprocessors;
    }
}

}  // namespace

extern "C" {

Result cuLaunchKernel(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                      cudaStream_t stream, void** arguments, void** extra) {
    return call_with_context(__func__, [&] {
        const LaunchConfig config{
            {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, nullptr, 0};
        launch(&config, function, arguments, extra);
    });
}
COALESCE_PER_THREAD_STREAM(cuLaunchKernel, _ptsz);

Result cuLaunchKernelEx(const LaunchConfig* config, const void* function, void** arguments,
                        void** extra) {
    return call_with_context(__func__, [&] { launch(config, function, arguments, extra); });
}
COALESCE_PER_THREAD_STREAM(cuLaunchKernelEx, _ptsz);

Result cuLaunchCooperativeKernel(const void* function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared, cudaStream_t stream,
                                 void** arguments) {
    return call_with_context(__func__, [&] {
        cudaLaunchAttribute cooperative_attribute{};
        cooperative_attribute.id = cudaLaunchAttributeCooperative;
        cooperative_attribute.val.cooperative = 1;
        const LaunchConfig config{{grid_x, grid_y, grid_z},
                                  {block_x, block_y, block_z},
                                  shared,
                                  stream,
                                  &cooperative_attribute,
                                  1};
        launch(&config, function, arguments, nullptr);
    });
}
COALESCE_PER_THREAD_STREAM(cuLaunchCooperativeKernel, _ptsz);

COALESCE_SAME_IN_STREAM(cuLaunchHostFunc, cudaLaunchHostFunc, 3);

// ---- occupancy ----

COALESCE_SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor,
              cudaOccupancyMaxActiveBlocksPerMultiprocessor, 4);
COALESCE_SAME(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
              cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 5);

Result cuOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* function,
                                        size_t (*shared_of)(int block), size_t shared, int limit) {
    return call_with_context(__func__, [&] {
        choose_block_size(grid, block, function, shared_of, shared, limit, cudaOccupancyDefault);
    });
}

Result cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, const void* function,
                                                 size_t (*shared_of)(int block), size_t shared,
                                                 int limit, unsigned flags) {
    return call_with_context(__func__, [&] {
        choose_block_size(grid, block, function, shared_of, shared, limit, flags);
    });
}

COALESCE_SAME(cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock,
              4);

Result cuOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                          const LaunchConfig* config) {
    return call_with_context(__func__, [&] {
        require(config);
        const cudaLaunchConfig_t converted = to_runtime_config(*config);
        require_success(cudaOccupancyMaxPotentialClusterSize(size, function, &converted));
    });
}

Result cuOccupancyMaxActiveClusters(int* clusters, const void* function,
                                    const LaunchConfig* config) {
    return call_with_context(__func__, [&] {
        require(config);
        const cudaLaunchConfig_t converted = to_runtime_config(*config);
        require_success(cudaOccupancyMaxActiveClusters(clusters, function, &converted));
    });
}

}  // extern "C"
