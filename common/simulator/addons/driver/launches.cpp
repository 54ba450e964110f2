// Implements launches and occupancy queries.
#include "simulator/addons/driver/driver.h"

using namespace coalesce::simulator::driver;

namespace {

/// A CUlaunchConfig, which uses the runtime's launch attributes.
struct LaunchConfig {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared;
    cudaStream_t stream;
    cudaLaunchAttribute* attributes;
    unsigned count;
};

cudaLaunchConfig_t to_runtime_config(const LaunchConfig& from) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(from.grid[0], from.grid[1], from.grid[2]);
    config.blockDim = dim3(from.block[0], from.block[1], from.block[2]);
    config.dynamicSmemBytes = from.shared;
    config.stream = from.stream;
    config.attrs = from.attributes;
    config.numAttrs = from.count;
    return config;
}

/// Launches a kernel. Its arguments are either a list of addresses, or one buffer that `extra`
/// describes.
void launch(const LaunchConfig* from, const void* function, void** arguments, void** extra) {
    require(from && !(arguments && extra));
    const cudaLaunchConfig_t config = to_runtime_config(*from);
    const auto make = [&](void** list) {
        require_success(cudaLaunchKernelExC(&config, function, list));
    };
    if (extra)
        coalesceWithArguments(function, extra, make);
    else
        make(arguments);
}

/// Stores the block size that allows the most resident threads per multiprocessor.
void choose_block_size(int* grid, int* block, const void* function, size_t (*shared_of)(int block),
                       size_t shared, int limit, unsigned flags) {
    require(grid && block && flags <= cudaOccupancyDisableCachingOverride);
    cudaFuncAttributes attributes;
    int multiprocessors = 0, device = 0, best = 0;
    require_success(cudaFuncGetAttributes(&attributes, function));
    require_success(cudaGetDevice(&device));
    require_success(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
        int blocks = 0;
        require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, threads, shared_of ? shared_of(threads) : shared));
        if (blocks * threads <= best) continue;
        best = blocks * threads;
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
        cudaLaunchAttribute cooperative{};
        cooperative.id = cudaLaunchAttributeCooperative;
        cooperative.val.cooperative = 1;
        const LaunchConfig config{
            {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, &cooperative, 1};
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
