/// \file
/// Chooses the family of kernels for a task, and launches a kernel. The families are stacks,
/// channels, strips, aligned tiles, and unaligned tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "aligned.cuh"
#include "channels.cuh"
#include "fastest.cuh"
#include "launch.cuh"
#include "stacks.cuh"
#include "strip_choice.cuh"
#include "task.cuh"

namespace coalesce::transposing {

/// Reports whether the task is a stack: a batch of small matrices without gaps. A block can process
/// several matrices of a stack.
template <int SIZE>
bool is_matrix_stack(const TransposeTask& task) {
    const bool has_no_gaps = task.in_pitch == task.cols && task.out_pitch == task.rows;
    const std::int64_t matrix_elements = task.rows * task.cols;
    const std::int64_t max_matrix_bytes = SIZE <= 4 ? 46'500 : 4096;
    return task.batches > 1 && has_no_gaps && task.in_stride == matrix_elements &&
           task.out_stride == matrix_elements && matrix_elements * SIZE <= max_matrix_bytes;
}

/// Returns the number of matrices that a block should process. Together, these matrices have about
/// `target_bytes` bytes, unless a single matrix is larger.
template <int SIZE>
int choose_matrices_per_block(const TransposeTask& task, std::int64_t target_bytes) {
    const std::int64_t matrix_bytes = task.rows * task.cols * SIZE;
    const std::int64_t matrices_per_block = (target_bytes + matrix_bytes / 2) / matrix_bytes;
    return matrices_per_block > 1 ? static_cast<int>(matrices_per_block) : 1;
}
template <int SIZE, class Kernel>
cudaError_t launch_stack_kernel(TransposeTask task, std::int64_t target_bytes,
                                const LaunchQueue& queue) {
    task.matrices_per_block = choose_matrices_per_block<SIZE>(task, target_bytes);
    const std::int64_t shared_bytes =
        Kernel::Line::line_shared_bytes(task.matrices_per_block * task.rows * task.cols * SIZE);
    return launch_blocks<Kernel>(task, divide_rounding_up(task.matrices_per_block, task.batches),
                                 shared_bytes, queue);
}

/// The approximate number of bytes that a block processes if the matrices of a stack are larger
/// than 4096 bytes.
constexpr std::int64_t stack_target_bytes = 20'000;
/// The maximum size of a block's matrices, in bytes, for a kernel with fewer threads. Up to this
/// size, such a kernel is faster, because more of its blocks run at the same time.
constexpr std::int64_t max_bytes_for_few_threads = 32'000;

/// Launches a stack kernel, and requests 196 KB (85 %) of the L1 cache for shared memory. The
/// kernel is then faster, although the blocks that run at the same time need less shared memory.
template <int SIZE, class Kernel>
cudaError_t launch_stack_with_more_shared_memory(const TransposeTask& task,
                                                 const LaunchQueue& queue) {
    const cudaError_t error = prefer_shared_memory(
        reinterpret_cast<const void*>(KernelFunction<Kernel>::get_function()), 85);
    if (error != cudaSuccess) return error;
    return launch_stack_kernel<SIZE, Kernel>(task, stack_target_bytes, queue);
}

/// Launches a kernel that stores vectors of four 4-byte elements. The number of columns must be
/// odd, so that at most four lanes of a warp access the same bank of shared memory.
template <LoadPolicy LOADS>
cudaError_t launch_vector_stack(const TransposeTask& task, std::int64_t stack_bytes,
                                const LaunchQueue& queue) {
    if (stack_bytes <= max_bytes_for_few_threads) {
        using FewThreadKernel = MatrixStackKernel<4, 256, 0, LOADS, 6, 4>;
        return launch_stack_kernel<4, FewThreadKernel>(task, stack_target_bytes, queue);
    }
    using ManyThreadKernel = MatrixStackKernel<4, 512, 0, LOADS, 4, 4>;
    return launch_stack_with_more_shared_memory<4, ManyThreadKernel>(task, queue);
}

template <int SIZE, int PAD, LoadPolicy LOADS>
cudaError_t launch_stack_with_policy(const TransposeTask& task, const LaunchQueue& queue) {
    const std::int64_t matrix_bytes = task.rows * task.cols * SIZE;
    if (matrix_bytes <= 4096) {  // up to 8192 bytes per block, or 12,700 with fast memory
        const std::int64_t small_target_bytes =
            SIZE <= 4 && task.has_fast_memory ? 12'700 : 8192 - matrix_bytes / 2;
        return launch_stack_kernel<SIZE, MatrixStackKernel<SIZE, 256, PAD, LOADS>>(
            task, small_target_bytes, queue);
    }
    const std::int64_t stack_bytes =
        choose_matrices_per_block<SIZE>(task, stack_target_bytes) * matrix_bytes;
    if constexpr (SIZE == 4 && PAD == 0) {
        if (task.has_fast_memory && task.cols % 2 == 1)
            return launch_vector_stack<LOADS>(task, stack_bytes, queue);
    }
    if constexpr (SIZE == 2 || SIZE == 4) {
        using FewThreadKernel = MatrixStackKernel<SIZE, 384, PAD, LOADS>;
        if (FewThreadKernel::Line::line_shared_bytes(stack_bytes) <= max_bytes_for_few_threads) {
            if constexpr (SIZE == 2)
                return launch_stack_kernel<2, FewThreadKernel>(task, stack_target_bytes, queue);
            if (task.has_fast_memory)
                return launch_stack_with_more_shared_memory<SIZE, FewThreadKernel>(task, queue);
        }
    }
    return launch_stack_kernel<SIZE, MatrixStackKernel<SIZE, 512, PAD>>(task, stack_target_bytes,
                                                                        queue);
}

template <int SIZE, int PAD>
cudaError_t launch_matrix_stack(const TransposeTask& task, const LaunchQueue& queue) {
    if constexpr (SIZE == 4) {
        if (task.has_fast_memory && has_at_least_bytes<4>(task, min_stack_bytes_for_evict_last)) {
            return launch_stack_with_policy<4, PAD, LoadPolicy::evict_last_128>(task, queue);
        }
    }
    return launch_stack_with_policy<SIZE, PAD, LoadPolicy::plain>(task, queue);
}

/// Reports whether the small matrices, whose elements are smaller than a word, can be transposed in
/// registers. Rows and columns must consist of whole words. Very short rows are excluded, because
/// most lanes would have nothing to load.
template <int SIZE>
bool can_use_word_stack(const TransposeTask& task) {
    if constexpr (SIZE < 4) {
        using Kernel = WordStackKernel<SIZE, 128, 8>;
        return is_aligned_to(task.out, 4) && is_aligned_to(task.in, Kernel::COLS * SIZE) &&
               task.cols % Kernel::COLS == 0 && task.rows % Kernel::ELEMENTS_PER_WORD == 0 &&
               task.cols >= 2 * Kernel::COLS;
    }
    return false;
}

template <int SIZE>
cudaError_t launch_word_stack(const TransposeTask& task, const LaunchQueue& queue) {
    const std::int64_t matrix_bytes = task.rows * task.cols * SIZE;
    if constexpr (SIZE == 1) {
        if (matrix_bytes <= 6500)
            return launch_stack_kernel<1, WordStackKernel<1, 128, 8>>(task, 6500, queue);
        if (matrix_bytes <= 15'000)
            return launch_stack_kernel<1, WordStackKernel<1, 256, 8>>(task, 0, queue);
        return launch_stack_kernel<1, WordStackKernel<1, 512, 8>>(task, 0, queue);
    } else if constexpr (SIZE == 2) {
        if (matrix_bytes <= 9000)
            return launch_stack_kernel<2, WordStackKernel<2, 256, 4>>(task, 9000, queue);
        // Loading 64 bytes of a row at once takes fewer requests to the L2 cache than loading 32
        // bytes. If several rounds of loads are necessary, however, it is more important to keep
        // all lanes busy.
        using FourLaneKernel = WordStackKernel<2, 384, 4>;
        using EightLaneKernel = WordStackKernel<2, 384, 8>;
        const std::int64_t pieces_per_row = task.cols / EightLaneKernel::COLS,
                           rows_of_words = task.rows / EightLaneKernel::ELEMENTS_PER_WORD;
        const std::int64_t work_items_of_four_lanes =
            divide_rounding_up(4, pieces_per_row) *
            divide_rounding_up(FourLaneKernel::LANES_DOWN, rows_of_words);
        const std::int64_t work_items_of_eight_lanes =
            divide_rounding_up(8, pieces_per_row) *
            divide_rounding_up(EightLaneKernel::LANES_DOWN, rows_of_words);
        if (work_items_of_eight_lanes > EightLaneKernel::WARPS * EightLaneKernel::LOADS_IN_FLIGHT &&
            work_items_of_four_lanes < work_items_of_eight_lanes) {
            return launch_stack_kernel<2, FourLaneKernel>(task, 0, queue);
        }
        return launch_stack_kernel<2, EightLaneKernel>(task, 0, queue);
    }
    return cudaErrorInvalidValue;
}

/// Launches the kernel for aligned rows. On GPUs with fast memory, matrices of bytes have a kernel
/// of their own, with more threads per block.
template <int SIZE, LoadPolicy LOADS>
cudaError_t launch_aligned_kernel(const TransposeTask& task, const LaunchQueue& queue) {
    if constexpr (SIZE == 1) {
        if (task.has_fast_memory) {
            return launch_fixed_tiles<1, FastestKernels<1>::AlignedFastMemoryKernel<LOADS>>(task,
                                                                                            queue);
        }
    }
    return launch_fixed_tiles<SIZE, typename FastestKernels<SIZE>::template AlignedKernel<LOADS>>(
        task, queue);
}

/// Launches a kernel for rows and columns that all start at multiples of 16 bytes.
template <int SIZE>
cudaError_t launch_aligned_tiles(const TransposeTask& task, std::int64_t shorter_side,
                                 const LaunchQueue& queue) {
    using SmallMatrixKernel = RegisterBlockKernel<SIZE, 8, 8, 1>;
    if (shorter_side <= SmallMatrixKernel::TILE_COLS)
        return launch_fixed_tiles<SIZE, SmallMatrixKernel>(task, queue);
    TransposeTask spread_task = task;
    spread_task.spreads_strips = is_column_in_one_channel<SIZE>(task);
    spread_task.is_down_first |= spread_task.spreads_strips;
    const bool are_cache_lines_split = task.in_pitch * SIZE % 128 != 0;
    if constexpr (SIZE == 4) {
        if (task.has_fast_memory && task.batches > 1 && task.cols >= 64 &&
            nearly_fills_tall_tile(task.rows)) {
            return launch_fixed_tiles<4, FastestKernels<4>::OneTileHighKernel>(task, queue);
        }
        if (task.has_fast_memory && are_cache_lines_split && task.out_pitch % 32 == 0 &&
            benefits_from_evict_last<4>(task, false)) {
            return launch_fixed_tiles<4, FastestKernels<4>::AlignedLineKernel>(task, queue);
        }
    }
    if (are_cache_lines_split && benefits_from_evict_last<SIZE>(task, false)) {
        return launch_aligned_kernel<SIZE, LoadPolicy::evict_last_128>(
            group_tiles_sharing_lines<SIZE>(task), queue);
    }
    if (benefits_from_evict_last<SIZE>(task, true)) {
        return launch_aligned_kernel<SIZE, LoadPolicy::evict_last>(spread_task, queue);
    }
    return launch_aligned_kernel<SIZE, LoadPolicy::plain>(spread_task, queue);
}

/// Launches a kernel for a matrix with unaligned rows. The kernel for small matrices loads no extra
/// rows to complete a block's first vectors or sectors, because that would cost more than it gains.
template <int SIZE>
cudaError_t launch_unaligned_tiles(TransposeTask task, std::int64_t shorter_side,
                                   const LaunchQueue& queue) {
    using LargeMatrixKernel = typename FastestKernels<SIZE>::UnalignedKernel;
    using SmallMatrixKernel = ShiftedElementKernel<SIZE, 64, 32, 256, SIZE>;
    if (task.rows <= SmallMatrixKernel::TILE_ROWS || shorter_side <= SmallMatrixKernel::TILE_COLS) {
        return launch_fixed_tiles<SIZE, SmallMatrixKernel>(task, queue);
    }
    if (SIZE <= 4) shorten_strips<SIZE>(task);
    if constexpr (SIZE < 4) {
        // In a tall matrix, a column of tiles is very long. The cache lines that neighbouring
        // columns share would be evicted before the next column needs them. So blocks go along the
        // rows.
        if (task.rows / 16 > task.cols) task.is_down_first = false;
        switch (choose_rotated_row_tile<SIZE>(task)) {
            case RotatedRowTile::unused: break;
            case RotatedRowTile::small:
                return launch_fixed_tiles<SIZE, typename FastestKernels<SIZE>::SmallRewoundKernel>(
                    task, queue);
            case RotatedRowTile::large:
                return launch_fixed_tiles<SIZE, typename FastestKernels<SIZE>::LargeRewoundKernel>(
                    task, queue);
        }
        return launch_fixed_tiles<SIZE, LargeMatrixKernel>(task, queue);
    } else {
        const bool uses_evict_last = benefits_from_evict_last<SIZE>(task, false);
        if (are_out_rows_sector_aligned<SIZE>(task)) {
            if constexpr (SIZE == 4) {
                if (uses_evict_last && task.has_fast_memory) {
                    task.strips_in_group = 1;
                    return launch_fixed_tiles<4, FastestKernels<4>::AlignedOutFastMemoryKernel>(
                        task, queue);
                }
            }
            if (uses_evict_last || SIZE == 4) task.is_down_first = false;
            task.strips_in_group = 1;
            if (!uses_evict_last)
                return launch_fixed_tiles<SIZE, typename FastestKernels<SIZE>::AlignedOutKernel>(
                    task, queue);
            return launch_fixed_tiles<SIZE, typename FastestKernels<SIZE>::LargeAlignedOutKernel>(
                task, queue);
        }
        if (!uses_evict_last) return launch_fixed_tiles<SIZE, LargeMatrixKernel>(task, queue);
        if constexpr (SIZE == 4) {
            if (task.has_fast_memory) {
                return launch_fixed_tiles<4, FastestKernels<4>::UnalignedFastMemoryKernel>(task,
                                                                                           queue);
            }
        }
        return launch_fixed_tiles<SIZE, typename FastestKernels<SIZE>::LargeUnalignedKernel>(task,
                                                                                             queue);
    }
}

/// Reports whether the task is an image that ChannelKernel supports. The image must have 2, 3, 4, 6
/// or 8 channels, and at least 4096 pixels, the size of the largest tile.
template <int SIZE>
bool is_channel_image(const TransposeTask& task) {
    const std::int64_t channels = task.rows < task.cols ? task.rows : task.cols;
    const std::int64_t pixels = task.rows < task.cols ? task.cols : task.rows;
    const bool is_dense = task.in_pitch == task.cols && task.out_pitch == task.rows;
    constexpr int VECTOR_ELEMENTS = SIZE < 16 ? 16 / SIZE : 1;
    const bool is_aligned = is_aligned_to(task.out, 16) && is_aligned_to(task.in, 16) &&
                            pixels % VECTOR_ELEMENTS == 0 &&
                            (task.batches == 1 || (task.in_stride % VECTOR_ELEMENTS == 0 &&
                                                   task.out_stride % VECTOR_ELEMENTS == 0));
    const bool is_channel_count_supported =
        (channels >= 2 && channels <= 4) || channels == 6 || channels == 8;
    return SIZE <= 4 && is_dense && is_aligned && is_channel_count_supported && pixels >= 4096;
}

template <int SIZE, int CHANNELS>
cudaError_t launch_channels_kernel(const TransposeTask& task, const LaunchQueue& queue) {
    if (task.rows == CHANNELS)
        return launch_fixed_tiles<SIZE, ChannelKernel<SIZE, CHANNELS, true>>(task, queue);
    return launch_fixed_tiles<SIZE, ChannelKernel<SIZE, CHANNELS, false>>(task, queue);
}

template <int SIZE>
cudaError_t launch_channels(const TransposeTask& task, const LaunchQueue& queue) {
    switch (task.rows < task.cols ? task.rows : task.cols) {
        case 2: return launch_channels_kernel<SIZE, 2>(task, queue);
        case 3: return launch_channels_kernel<SIZE, 3>(task, queue);
        case 4: return launch_channels_kernel<SIZE, 4>(task, queue);
        case 6: return launch_channels_kernel<SIZE, 6>(task, queue);
        default: return launch_channels_kernel<SIZE, 8>(task, queue);
    }
}

/// Reports whether strips are better than tiles for an aligned matrix. They are if the empty part
/// of the tiles would exceed an eighth of the matrix, or if the shorter side does not consist of
/// whole cache lines. Matrices of bytes and wide matrices of 2-byte elements are excluded, because
/// they have faster tiles. For 2-byte elements, only the empty part of the tiles counts.
template <int SIZE>
bool prefers_strips(const TransposeTask& task, std::int64_t shorter_side) {
    const std::int64_t tile_side = SIZE < 4 ? 128 : 64;
    const bool are_tiles_partly_empty =
        divide_rounding_up(tile_side, shorter_side) * tile_side > shorter_side + shorter_side / 8;
    if (SIZE < 4)
        return SIZE == 2 && are_tiles_partly_empty && shorter_side > tile_side &&
               task.cols < task.rows;
    return are_tiles_partly_empty || shorter_side * SIZE % 128 != 0;
}

/// The number of columns of a tall matrix, and the number of rows of a wide matrix, below which
/// strips are faster than the tiles of RewoundRowKernel.
constexpr std::int64_t max_cols_for_strips = 152;
template <int SIZE>
constexpr std::int64_t max_rows_for_strips = SIZE == 1 ? 256 : 152;

template <int SIZE>
cudaError_t launch_fastest_kernel(TransposeTask task, const LaunchQueue& queue) {
    if constexpr (SIZE <= 4) {
        if (is_channel_image<SIZE>(task)) return launch_channels<SIZE>(task, queue);
    }
    const bool is_aligned = are_rows_whole_vectors(task.in, SIZE, task.cols, task.in_pitch,
                                                   task.in_stride, task.batches) &&
                            are_rows_whole_vectors(task.out, SIZE, task.rows, task.out_pitch,
                                                   task.out_stride, task.batches);
    const std::int64_t shorter_side = task.rows < task.cols ? task.rows : task.cols;
    const bool is_narrow = shorter_side * SIZE < 128;
    if (is_matrix_stack<SIZE>(task) && (is_narrow || !is_aligned)) {
        if (can_use_word_stack<SIZE>(task)) return launch_word_stack<SIZE>(task, queue);
        constexpr int ELEMENTS_PER_ACCESS = SIZE == 2 ? 2 : 1;
        const bool needs_padding =
            count_bank_conflicts(ELEMENTS_PER_ACCESS * task.cols * SIZE, SIZE) > 4;
        if (needs_padding) return launch_matrix_stack<SIZE, strip_padding_bytes<SIZE>>(task, queue);
        return launch_matrix_stack<SIZE, 0>(task, queue);
    }
    const auto launch_tile_kernel = [&] {
        if (!is_aligned) return launch_unaligned_tiles<SIZE>(task, shorter_side, queue);
        if (!would_split_sectors<SIZE>(task, shorter_side)) {
            return launch_aligned_tiles<SIZE>(task, shorter_side, queue);
        }
        if constexpr (SIZE == 1 || SIZE == 4) {
            if (task.has_fast_memory) {
                return launch_fixed_tiles<SIZE, typename FastestKernels<SIZE>::AlignedSectorKernel>(
                    task, queue);
            }
        }
        return launch_unaligned_tiles<SIZE>(task, shorter_side, queue);
    };
    if (is_aligned && !is_narrow && !prefers_strips<SIZE>(task, shorter_side)) {
        return launch_tile_kernel();
    }
    if constexpr (SIZE == 1) {
        if (can_use_tall_vector_kernel(task)) return launch_tall_vector_strips(task, queue);
        if (can_use_wide_vector_kernel(task)) return launch_wide_vector_strips(task, queue);
    }

    const StripPadding padding = choose_strip_padding<SIZE>(shorter_side);
    const bool needs_padding = padding == StripPadding::helpful,
               can_use_strips = padding != StripPadding::insufficient;
    task.tile_rows = choose_tall_strip_rows<SIZE>(task, needs_padding);
    task.tile_cols = choose_wide_strip_cols<SIZE>(task);
    // RewoundRowKernel, where it can be used, is faster than strips unless the matrix is very
    // narrow.
    const bool uses_rewound_tiles = choose_rotated_row_tile<SIZE>(task) != RotatedRowTile::unused;
    const bool is_tall = task.in_pitch == task.cols && task.rows / 4 > task.cols &&
                         (!uses_rewound_tiles || task.cols < max_cols_for_strips);
    if (can_use_strips && is_tall && task.tile_rows > 0) {
        if (needs_padding) return launch_tall_strips<SIZE, strip_padding_bytes<SIZE>>(task, queue);
        return launch_tall_strips<SIZE, 0>(task, queue);
    }
    const bool is_wide = task.out_pitch == task.rows && task.cols / 4 > task.rows &&
                         (!uses_rewound_tiles || task.rows < max_rows_for_strips<SIZE>);
    if (can_use_strips && is_wide && task.tile_cols > 0) {
        if (needs_padding) return launch_wide_strips<SIZE, strip_padding_bytes<SIZE>>(task, queue);
        return launch_wide_strips<SIZE, 0>(task, queue);
    }
    return launch_tile_kernel();
}

}  // namespace coalesce::transposing
