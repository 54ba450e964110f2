// Launches, and how many blocks fit.
#include "driver/driver.h"

using namespace coalesce::sim::driver;

namespace {

/// CUlaunchConfig. Its attributes are the runtime's.
struct LaunchConfig {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared;
    cudaStream_t stream;
    cudaLaunchAttribute* attributes;
    unsigned count;
};

cudaLaunchConfig_t config_of(const LaunchConfig& from) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(from.grid[0], from.grid[1], from.grid[2]);
    config.blockDim = dim3(from.block[0], from.block[1], from.block[2]);
    config.dynamicSmemBytes = from.shared;
    config.stream = from.stream;
    config.attrs = from.attributes;
    config.numAttrs = from.count;
    return config;
}

/// Arguments come as a list of addresses, or as one buffer in `extra`.
int launch(const LaunchConfig* from, const void* function, void** arguments, void** extra) {
    if (!from || (arguments && extra)) return kInvalidValue;
    cudaLaunchConfig_t config = config_of(*from);
    struct Call {
        const cudaLaunchConfig_t* config;
        const void* function;
    } to_make{&config, function};
    const auto make = [](void** list, void* data) -> int {
        const Call& made = *static_cast<Call*>(data);
        return cudaLaunchKernelExC(made.config, made.function, list);
    };
    return extra ? coalesceWithArguments(function, extra, make, &to_make)
                 : make(arguments, &to_make);
}

/// The block size with the most threads on a multiprocessor.
int best_block(int* grid, int* block, const void* function, size_t (*shared_of)(int block),
               size_t shared, int limit, unsigned flags) {
    if (!grid || !block || flags > cudaOccupancyDisableCachingOverride) return kInvalidValue;
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, function);
    int multiprocessors = 0, device = 0, best = 0;
    if (error == cudaSuccess) error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    for (int threads = most; error == cudaSuccess && threads > 0;
         threads = (threads - 1) / 32 * 32) {
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, threads, shared_of ? shared_of(threads) : shared);
        if (blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * multiprocessors;
    }
    return error;
}

}  // namespace

extern "C" {

Result cuLaunchKernel(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                      cudaStream_t stream, void** arguments, void** extra) {
    return in_context(__func__, [&] {
        const LaunchConfig config{
            {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, nullptr, 0};
        return launch(&config, function, arguments, extra);
    });
}
COALESCE_PER_THREAD_STREAM(cuLaunchKernel, _ptsz);

Result cuLaunchKernelEx(const LaunchConfig* config, const void* function, void** arguments,
                        void** extra) {
    return in_context(__func__, [&] { return launch(config, function, arguments, extra); });
}
COALESCE_PER_THREAD_STREAM(cuLaunchKernelEx, _ptsz);

Result cuLaunchCooperativeKernel(const void* function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared, cudaStream_t stream,
                                 void** arguments) {
    return in_context(__func__, [&] {
        cudaLaunchAttribute cooperative{};
        cooperative.id = cudaLaunchAttributeCooperative;
        cooperative.val.cooperative = 1;
        const LaunchConfig config{
            {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, &cooperative, 1};
        return launch(&config, function, arguments, nullptr);
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
    return in_context(__func__, [&] {
        return best_block(grid, block, function, shared_of, shared, limit, cudaOccupancyDefault);
    });
}

Result cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, const void* function,
                                                 size_t (*shared_of)(int block), size_t shared,
                                                 int limit, unsigned flags) {
    return in_context(__func__, [&] {
        return best_block(grid, block, function, shared_of, shared, limit, flags);
    });
}

COALESCE_SAME(cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock,
              4);

Result cuOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                          const LaunchConfig* config) {
    return in_context(__func__, [&]() -> int {
        if (!config) return kInvalidValue;
        const cudaLaunchConfig_t converted = config_of(*config);
        return cudaOccupancyMaxPotentialClusterSize(size, function, &converted);
    });
}

Result cuOccupancyMaxActiveClusters(int* clusters, const void* function,
                                    const LaunchConfig* config) {
    return in_context(__func__, [&]() -> int {
        if (!config) return kInvalidValue;
        const cudaLaunchConfig_t converted = config_of(*config);
        return cudaOccupancyMaxActiveClusters(clusters, function, &converted);
    });
}

}  // extern "C"
