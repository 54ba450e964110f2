/// \file
/// Launches the transposing kernels, with one block per tile, and in several launches if necessary.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "task.cuh"

namespace coalesce::transposing {

template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS) transpose_kernel(const Task task) {
    extern __shared__ uint4 shared[];
    Kernel::run(task, reinterpret_cast<char*>(shared));
}

/// A kernel like transpose_kernel, but with so few registers that Kernel::BLOCKS blocks fit on a
/// multiprocessor.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS, Kernel::BLOCKS)
    crowded_transpose_kernel(const Task task) {
    extern __shared__ uint4 shared[];
    Kernel::run(task, reinterpret_cast<char*>(shared));
}

template <class Kernel, class = void>
constexpr bool is_crowded = false;
template <class Kernel>
constexpr bool is_crowded<Kernel, std::enable_if_t<(Kernel::BLOCKS > 0)>> = true;

template <class Kernel>
struct KernelOf {
    static auto get() {
        if constexpr (is_crowded<Kernel>) {
            return &crowded_transpose_kernel<Kernel>;
        } else {
            return &transpose_kernel<Kernel>;
        }
    }
};

/// The maximum number of blocks in a grid.
constexpr std::int64_t max_blocks = 2147483647;
/// The number of bytes of shared memory that a block gets by default, and the number that every GPU
/// grants on request.
constexpr std::int64_t default_shared_bytes = 48 * 1024, opt_in_shared_bytes = 64 * 1024;

inline std::int64_t divide_rounding_up(std::int64_t size, std::int64_t count) {
    return count / size + (count % size != 0);
}

/// Launches a kernel. Unlike <<< >>>, this function returns the error of the launch, and leaves
/// earlier errors as they are.
template <class... Arguments>
cudaError_t launch_kernel(void (*kernel)(Arguments...), std::int64_t blocks, int threads,
                          std::int64_t bytes, cudaStream_t stream, Arguments... arguments) {
    if (blocks > max_blocks) return cudaErrorInvalidValue;
    const auto* const function = reinterpret_cast<const void*>(kernel);
    if (bytes > default_shared_bytes) {
        const cudaError_t error = cudaFuncSetAttribute(
            function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
        if (error != cudaSuccess) return error;
    }
    void* all[] = {&arguments...};
    return cudaLaunchKernel(function, dim3(static_cast<unsigned>(blocks)),
                            dim3(static_cast<unsigned>(threads)), all,
                            static_cast<std::size_t>(bytes), stream);
}

template <class Kernel>
cudaError_t launch_blocks(const Task& task, std::int64_t blocks, std::int64_t bytes,
                          cudaStream_t stream) {
    return launch_kernel(KernelOf<Kernel>::get(), blocks, Kernel::THREADS, bytes, stream, task);
}

/// Launches one block per tile of each matrix. Uses several launches if the blocks do not fit into
/// one grid.
template <int SIZE, class Kernel>
cudaError_t launch_tiles(Task task, std::int64_t tiles_down, std::int64_t tiles_across,
                         std::int64_t bytes, cudaStream_t stream) {
    if (tiles_down > max_blocks / tiles_across) return cudaErrorInvalidValue;
    task.tiles_down = static_cast<unsigned>(tiles_down);
    task.tiles_across = static_cast<unsigned>(tiles_across);
    const std::int64_t tiles = tiles_down * tiles_across, at_once = max_blocks / tiles;
    std::int64_t left = task.batches;
    while (left > 0) {
        const std::int64_t batches = left < at_once ? left : at_once;
        const cudaError_t error = launch_blocks<Kernel>(task, batches * tiles, bytes, stream);
        if (error != cudaSuccess) return error;
        left -= batches;
        task.in = static_cast<const char*>(task.in) + batches * task.in_stride * SIZE;
        task.out = static_cast<char*>(task.out) + batches * task.out_stride * SIZE;
    }
    return cudaSuccess;
}

/// Launches a kernel whose tiles have a fixed size.
template <int SIZE, class Kernel>
cudaError_t launch(const Task& task, cudaStream_t stream) {
    return launch_tiles<SIZE, Kernel>(
        task, divide_rounding_up(Kernel::TILE_ROWS, task.rows + Kernel::LEAD),
        divide_rounding_up(Kernel::TILE_COLS, task.cols), Kernel::SHARED_BYTES, stream);
}

}  // namespace coalesce::transposing
