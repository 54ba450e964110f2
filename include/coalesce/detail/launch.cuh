/// \file
/// Launches the transposing kernels with one block per tile. Uses several launches if one grid is
/// too small.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "task.cuh"

namespace coalesce::transposing {

template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS) transpose_kernel(const TransposeTask task) {
    extern __shared__ uint4 shared[];
    Kernel::run(task, reinterpret_cast<char*>(shared));
}

/// A variant of transpose_kernel that limits the registers per thread, so that
/// Kernel::MIN_RESIDENT_BLOCKS blocks fit on a multiprocessor.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS, Kernel::MIN_RESIDENT_BLOCKS)
    register_limited_kernel(const TransposeTask task) {
    extern __shared__ uint4 shared[];
    Kernel::run(task, reinterpret_cast<char*>(shared));
}

template <class Kernel, class = void>
constexpr bool limits_registers = false;
template <class Kernel>
constexpr bool limits_registers<Kernel, std::enable_if_t<(Kernel::MIN_RESIDENT_BLOCKS > 0)>> = true;

template <class Kernel>
struct KernelFunction {
    static auto get_function() {
        if constexpr (limits_registers<Kernel>) {
            return &register_limited_kernel<Kernel>;
        } else {
            return &transpose_kernel<Kernel>;
        }
    }
};

/// The maximum number of blocks in a grid.
constexpr std::int64_t max_blocks_per_grid = 2147483647;
/// The number of bytes of shared memory that a block gets by default, and the number that every GPU
/// grants on request.
constexpr std::int64_t default_shared_bytes = 48 * 1024, opt_in_shared_bytes = 64 * 1024;

inline std::int64_t divide_rounding_up(std::int64_t part_size, std::int64_t count) {
    return count / part_size + (count % part_size != 0);
}

/// A stored launch of a kernel, or a stored copy by the driver, which can be repeated later. The
/// first argument of every kernel is a struct that begins with the addresses of `out` and `in`.
/// Some kernels have a second argument, which is a number.
struct StoredLaunch {
    struct Addresses {
        void* out;
        const void* in;
    };

    int launch_count = 0;          ///< the number of launches; only the last one is stored
    const void* kernel = nullptr;  ///< the kernel, or null for a copy
    unsigned blocks = 0, threads = 0;
    std::size_t shared_or_copy_bytes = 0;  ///< bytes of shared memory, or of the copy
    /// The kernel's first argument, a struct of at most 704 bytes.
    alignas(16) unsigned char first_argument[704] = {};
    std::int64_t second_argument = 0;

    template <class First>
    void store_arguments(const First& first_value, std::int64_t second_value = 0) {
        static_assert(sizeof(First) <= sizeof first_argument, "there is room");
        std::memcpy(first_argument, &first_value, sizeof(First));
        second_argument = second_value;
    }

    /// Queues the launch in `stream`, with these addresses in place of the stored ones.
    cudaError_t repeat(const Addresses& addresses, cudaStream_t stream) const {
        if (kernel == nullptr) {
            return cudaMemcpyAsync(addresses.out, addresses.in, shared_or_copy_bytes,
                                   cudaMemcpyDeviceToDevice, stream);
        }
        StoredLaunch repeated_launch = *this;
        std::memcpy(repeated_launch.first_argument, &addresses, sizeof addresses);
        void* kernel_arguments[] = {repeated_launch.first_argument,
                                    &repeated_launch.second_argument};
        return cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), kernel_arguments,
                                shared_or_copy_bytes, stream);
    }
};

/// The destination of launches: a stream, or a plan that stores them.
struct LaunchQueue {
    cudaStream_t stream;
    StoredLaunch* stored_launch = nullptr;

    LaunchQueue(cudaStream_t the_stream)
        : stream(the_stream) {}  // NOLINT(google-explicit-constructor): a stream is one
    explicit LaunchQueue(StoredLaunch* plan) : stream(nullptr), stored_launch(plan) {}
};

/// Queues a copy from device to device.
inline cudaError_t copy_bytes(void* out, const void* in, std::int64_t bytes,
                              const LaunchQueue& queue) {
    const auto byte_count = static_cast<std::size_t>(bytes);
    if (queue.stored_launch == nullptr) {
        return cudaMemcpyAsync(out, in, byte_count, cudaMemcpyDeviceToDevice, queue.stream);
    }
    ++queue.stored_launch->launch_count;
    queue.stored_launch->kernel = nullptr;
    queue.stored_launch->shared_or_copy_bytes = byte_count;
    return cudaSuccess;
}

/// Launches a kernel and returns the error of the launch. Unlike <<< >>>, launch_kernel() does not
/// affect earlier errors.
template <class... Arguments>
cudaError_t launch_kernel(void (*kernel)(Arguments...), std::int64_t blocks, int threads,
                          std::int64_t shared_bytes, const LaunchQueue& queue,
                          Arguments... arguments) {
    if (blocks > max_blocks_per_grid) return cudaErrorInvalidValue;
    const auto* const kernel_address = reinterpret_cast<const void*>(kernel);
    if (shared_bytes > default_shared_bytes) {
        const cudaError_t error =
            cudaFuncSetAttribute(kernel_address, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shared_bytes));
        if (error != cudaSuccess) return error;
    }
    if (queue.stored_launch != nullptr) {
        StoredLaunch& stored_launch = *queue.stored_launch;
        ++stored_launch.launch_count;
        stored_launch.kernel = kernel_address;
        stored_launch.blocks = static_cast<unsigned>(blocks),
        stored_launch.threads = static_cast<unsigned>(threads);
        stored_launch.shared_or_copy_bytes = static_cast<std::size_t>(shared_bytes);
        stored_launch.store_arguments(arguments...);
        return cudaSuccess;
    }
    void* kernel_arguments[] = {&arguments...};
    return cudaLaunchKernel(kernel_address, dim3(static_cast<unsigned>(blocks)),
                            dim3(static_cast<unsigned>(threads)), kernel_arguments,
                            static_cast<std::size_t>(shared_bytes), queue.stream);
}

/// Sets how much of the L1 cache serves as shared memory while the kernel runs. `percent` is a
/// percentage of the maximum.
inline cudaError_t prefer_shared_memory(const void* kernel, int percent) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
}

template <class Kernel>
cudaError_t launch_blocks(const TransposeTask& task, std::int64_t blocks, std::int64_t shared_bytes,
                          const LaunchQueue& queue) {
    return launch_kernel(KernelFunction<Kernel>::get_function(), blocks, Kernel::THREADS,
                         shared_bytes, queue, task);
}

/// Launches one block per tile of each matrix. Uses several launches if the blocks do not fit into
/// one grid.
template <int SIZE, class Kernel>
cudaError_t launch_tiles(TransposeTask task, std::int64_t tiles_down, std::int64_t tiles_across,
                         std::int64_t shared_bytes, const LaunchQueue& queue) {
    if (tiles_down > max_blocks_per_grid / tiles_across) return cudaErrorInvalidValue;
    task.tiles_down = static_cast<unsigned>(tiles_down);
    task.tiles_across = static_cast<unsigned>(tiles_across);
    const std::int64_t tiles_per_matrix = tiles_down * tiles_across,
                       batches_per_launch = max_blocks_per_grid / tiles_per_matrix;
    std::int64_t batches_left = task.batches;
    while (batches_left > 0) {
        const std::int64_t batches_in_launch =
            batches_left < batches_per_launch ? batches_left : batches_per_launch;
        const cudaError_t error =
            launch_blocks<Kernel>(task, batches_in_launch * tiles_per_matrix, shared_bytes, queue);
        if (error != cudaSuccess) return error;
        batches_left -= batches_in_launch;
        task.in = static_cast<const char*>(task.in) + batches_in_launch * task.in_stride * SIZE;
        task.out = static_cast<char*>(task.out) + batches_in_launch * task.out_stride * SIZE;
    }
    return cudaSuccess;
}

/// Launches a kernel whose tiles have a fixed size.
template <int SIZE, class Kernel>
cudaError_t launch_fixed_tiles(const TransposeTask& task, const LaunchQueue& queue) {
    return launch_tiles<SIZE, Kernel>(
        task, divide_rounding_up(Kernel::TILE_ROWS, task.rows + Kernel::EXTRA_ROWS),
        divide_rounding_up(Kernel::TILE_COLS, task.cols), Kernel::SHARED_BYTES, queue);
}

}  // namespace coalesce::transposing
