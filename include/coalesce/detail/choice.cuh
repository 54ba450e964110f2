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

/// Reports whether the task is a stack, which is a batch of small matrices without gaps. A block
/// can process several of these matrices.
template <int SIZE>
bool is_stack(const Task& task) {
    const bool is_line = task.in_pitch == task.cols && task.out_pitch == task.rows;
    const std::int64_t elements = task.rows * task.cols;
    const std::int64_t max_bytes = SIZE <= 4 ? 46'500 : 4096;
    return task.batches > 1 && is_line && task.in_stride == elements &&
           task.out_stride == elements && elements * SIZE <= max_bytes;
}

/// Returns the number of matrices that a block should process. Together they have about
/// `target_bytes` bytes, unless a single matrix is larger.
template <int SIZE>
int choose_matrices_per_block(const Task& task, std::int64_t target_bytes) {
    const std::int64_t matrix = task.rows * task.cols * SIZE;
    const std::int64_t matrices_per_block = (target_bytes + matrix / 2) / matrix;
    return matrices_per_block > 1 ? static_cast<int>(matrices_per_block) : 1;
}
template <int SIZE, class Kernel>
cudaError_t launch_stack_kernel(Task task, std::int64_t target_bytes, const Queue& queue) {
    task.matrices_per_block = choose_matrices_per_block<SIZE>(task, target_bytes);
    const std::int64_t bytes =
        Kernel::Line::line_shared_bytes(task.matrices_per_block * task.rows * task.cols * SIZE);
    return launch_blocks<Kernel>(task, divide_rounding_up(task.matrices_per_block, task.batches),
                                 bytes, queue);
}

template <int SIZE, int PAD, LoadPolicy LOADS>
cudaError_t launch_stack_with_policy(const Task& task, const Queue& queue) {
    const std::int64_t matrix = task.rows * task.cols * SIZE;
    if (matrix <= 4096) {  // a block takes up to 8192 bytes, or 12,700 if memory is fast
        const std::int64_t small_target_bytes =
            SIZE <= 4 && task.has_fast_memory ? 12'700 : 8192 - matrix / 2;
        return launch_stack_kernel<SIZE, Stack<SIZE, 256, PAD, LOADS>>(task, small_target_bytes,
                                                                       queue);
    }
    constexpr std::int64_t target_bytes = 20'000;
    if constexpr (SIZE == 2 || SIZE == 4) {  // more blocks run if each has fewer threads
        using Few = Stack<SIZE, 384, PAD, LOADS>;
        const std::int64_t bytes = choose_matrices_per_block<SIZE>(task, target_bytes) * matrix;
        if ((SIZE == 2 || task.has_fast_memory) && Few::Line::line_shared_bytes(bytes) <= 32'000) {
            if (SIZE == 4) {
                // Five blocks need less than 196 KB (85 %) of shared memory, but requesting that
                // much is faster.
                const cudaError_t error = prefer_shared_memory(
                    reinterpret_cast<const void*>(KernelFunction<Few>::get()), 85);
                if (error != cudaSuccess) return error;
            }
            return launch_stack_kernel<SIZE, Few>(task, target_bytes, queue);
        }
    }
    return launch_stack_kernel<SIZE, Stack<SIZE, 512, PAD>>(task, target_bytes, queue);
}

template <int SIZE, int PAD>
cudaError_t launch_stack(const Task& task, const Queue& queue) {
    if constexpr (SIZE == 4) {
        if (task.has_fast_memory && has_bytes<4>(task, min_evict_last_bytes_stack)) {
            return launch_stack_with_policy<4, PAD, LoadPolicy::evict_last_128>(task, queue);
        }
    }
    return launch_stack_with_policy<SIZE, PAD, LoadPolicy::plain>(task, queue);
}

/// Reports whether elements smaller than a word can be transposed in registers. Rows and columns
/// must consist of whole words. Very short rows are excluded, because most lanes would have nothing
/// to load.
template <int SIZE>
bool is_stack_of_words(const Task& task) {
    if constexpr (SIZE < 4) {
        using Kernel = StackOfWords<SIZE, 128, 8>;
        return is_aligned_to(task.out, 4) && is_aligned_to(task.in, Kernel::COLS * SIZE) &&
               task.cols % Kernel::COLS == 0 && task.rows % Kernel::WORD_ELEMENTS == 0 &&
               task.cols >= 2 * Kernel::COLS;
    }
    return false;
}

template <int SIZE>
cudaError_t launch_stack_of_words(const Task& task, const Queue& queue) {
    const std::int64_t matrix = task.rows * task.cols * SIZE;
    if constexpr (SIZE == 1) {
        if (matrix <= 6500)
            return launch_stack_kernel<1, StackOfWords<1, 128, 8>>(task, 6500, queue);
        if (matrix <= 15'000)
            return launch_stack_kernel<1, StackOfWords<1, 256, 8>>(task, 0, queue);
        return launch_stack_kernel<1, StackOfWords<1, 512, 8>>(task, 0, queue);
    } else if constexpr (SIZE == 2) {
        if (matrix <= 9000)
            return launch_stack_kernel<2, StackOfWords<2, 256, 4>>(task, 9000, queue);
        // Loading 64 bytes of a row at once takes fewer requests to the L2 cache than loading 32
        // bytes. With several rounds of loads, however, it is more important to keep all lanes
        // busy.
        using By4 = StackOfWords<2, 384, 4>;
        using By8 = StackOfWords<2, 384, 8>;
        const std::int64_t row_pieces = task.cols / By8::COLS,
                           word_rows = task.rows / By8::WORD_ELEMENTS;
        const std::int64_t items_by_4 =
            divide_rounding_up(4, row_pieces) * divide_rounding_up(By4::LANES_DOWN, word_rows);
        const std::int64_t items_by_8 =
            divide_rounding_up(8, row_pieces) * divide_rounding_up(By8::LANES_DOWN, word_rows);
        if (items_by_8 > By8::WARPS * By8::LOADS_IN_FLIGHT && items_by_4 < items_by_8) {
            return launch_stack_kernel<2, By4>(task, 0, queue);
        }
        return launch_stack_kernel<2, By8>(task, 0, queue);
    }
    return cudaErrorInvalidValue;
}

/// Launches the kernel for aligned rows. For matrices of bytes, blocks have more threads on GPUs
/// with fast memory.
template <int SIZE, LoadPolicy LOADS>
cudaError_t launch_aligned_kernel(const Task& task, const Queue& queue) {
    if constexpr (SIZE == 1) {
        if (task.has_fast_memory) {
            return launch<1, FastestKernels<1>::AlignedInFastMemory<LOADS>>(task, queue);
        }
    }
    return launch<SIZE, typename FastestKernels<SIZE>::template Aligned<LOADS>>(task, queue);
}

/// Launches a kernel for rows and columns that all start at multiples of 16 bytes.
template <int SIZE>
cudaError_t launch_aligned(const Task& task, std::int64_t shorter_side, const Queue& queue) {
    using Small = RegisterBlocks<SIZE, 8, 8, 1>;
    if (shorter_side <= Small::TILE_COLS) return launch<SIZE, Small>(task, queue);
    Task spread_task = task;
    spread_task.are_strips_spread = do_rows_camp_on_partition<SIZE>(task);
    spread_task.is_down_first |= spread_task.are_strips_spread;
    const bool are_lines_cut = task.in_pitch * SIZE % 128 != 0;
    if constexpr (SIZE == 4) {
        if (task.has_fast_memory && task.batches > 1 && task.cols >= 64 &&
            nearly_fills_tall_tile(task.rows)) {
            return launch<4, FastestKernels<4>::AlignedInOneTile>(task, queue);
        }
        if (task.has_fast_memory && are_lines_cut && task.out_pitch % 32 == 0 &&
            loads_evict_last<4>(task, false)) {
            return launch<4, FastestKernels<4>::AlignedToLines>(task, queue);
        }
    }
    if (are_lines_cut && loads_evict_last<SIZE>(task, false)) {
        return launch_aligned_kernel<SIZE, LoadPolicy::evict_last_128>(
            group_for_line_sharing<SIZE>(task), queue);
    }
    if (loads_evict_last<SIZE>(task, true)) {
        return launch_aligned_kernel<SIZE, LoadPolicy::evict_last>(spread_task, queue);
    }
    return launch_aligned_kernel<SIZE, LoadPolicy::plain>(spread_task, queue);
}

/// Launches a kernel for a matrix with unaligned rows. For small matrices, it is not worth loading
/// extra rows to complete a block's first vectors or sectors.
template <int SIZE>
cudaError_t launch_unaligned(Task task, std::int64_t shorter_side, const Queue& queue) {
    using Large = typename FastestKernels<SIZE>::Anywhere;
    using Small = ShiftedElements<SIZE, 64, 32, 256, SIZE>;
    if (task.rows <= Small::TILE_ROWS || shorter_side <= Small::TILE_COLS) {
        return launch<SIZE, Small>(task, queue);
    }
    if (SIZE <= 4) shorten_strips<SIZE>(task);
    if constexpr (SIZE < 4) {
        // In a tall matrix, a column of tiles is very long. The cache lines that it shares with the
        // next column would be evicted before a block needs them again.
        if (task.rows / 16 > task.cols) task.is_down_first = false;
        switch (choose_rewinding<SIZE>(task)) {
            case Rewinding::none: break;
            case Rewinding::small:
                return launch<SIZE, typename FastestKernels<SIZE>::RewoundRows>(task, queue);
            case Rewinding::large:
                return launch<SIZE, typename FastestKernels<SIZE>::RewoundLarge>(task, queue);
        }
        return launch<SIZE, Large>(task, queue);
    } else {
        const bool is_large = loads_evict_last<SIZE>(task, false);
        if (are_out_rows_sector_aligned<SIZE>(task)) {
            if constexpr (SIZE == 4) {
                if (is_large && task.has_fast_memory) {
                    task.strips_in_group = 1;
                    return launch<4, FastestKernels<4>::ToSectorsInFastMemory>(task, queue);
                }
            }
            if (is_large || SIZE == 4) task.is_down_first = false;
            task.strips_in_group = 1;
            if (!is_large)
                return launch<SIZE, typename FastestKernels<SIZE>::ToSectors>(task, queue);
            return launch<SIZE, typename FastestKernels<SIZE>::ToSectorsLarge>(task, queue);
        }
        if (!is_large) return launch<SIZE, Large>(task, queue);
        if constexpr (SIZE == 4) {
            if (task.has_fast_memory) {
                return launch<4, FastestKernels<4>::AnywhereInFastMemory>(task, queue);
            }
        }
        return launch<SIZE, typename FastestKernels<SIZE>::AnywhereLarge>(task, queue);
    }
}

/// Reports whether the task is an image with 2, 3, 4, 6 or 8 channels. The image must be large
/// enough for tiles of 1024 to 4096 pixels.
template <int SIZE>
bool has_channels(const Task& task) {
    const std::int64_t channels = task.rows < task.cols ? task.rows : task.cols;
    const std::int64_t pixels = task.rows < task.cols ? task.cols : task.rows;
    const bool is_dense = task.in_pitch == task.cols && task.out_pitch == task.rows;
    constexpr int VECTOR_ELEMENTS = SIZE < 16 ? 16 / SIZE : 1;
    const bool is_aligned = is_aligned_to(task.out, 16) && is_aligned_to(task.in, 16) &&
                            pixels % VECTOR_ELEMENTS == 0 &&
                            (task.batches == 1 || (task.in_stride % VECTOR_ELEMENTS == 0 &&
                                                   task.out_stride % VECTOR_ELEMENTS == 0));
    const bool is_known = (channels >= 2 && channels <= 4) || channels == 6 || channels == 8;
    return SIZE <= 4 && is_dense && is_aligned && is_known && pixels >= 4096;
}

template <int SIZE, int CHANNELS>
cudaError_t launch_channels_kernel(const Task& task, const Queue& queue) {
    if (task.rows == CHANNELS) return launch<SIZE, Channels<SIZE, CHANNELS, true>>(task, queue);
    return launch<SIZE, Channels<SIZE, CHANNELS, false>>(task, queue);
}

template <int SIZE>
cudaError_t launch_channels(const Task& task, const Queue& queue) {
    switch (task.rows < task.cols ? task.rows : task.cols) {
        case 2: return launch_channels_kernel<SIZE, 2>(task, queue);
        case 3: return launch_channels_kernel<SIZE, 3>(task, queue);
        case 4: return launch_channels_kernel<SIZE, 4>(task, queue);
        case 6: return launch_channels_kernel<SIZE, 6>(task, queue);
        default: return launch_channels_kernel<SIZE, 8>(task, queue);
    }
}

/// Reports whether strips are better than tiles for an aligned matrix, because an eighth of the
/// tiles' area would be empty, or because the shorter side does not consist of whole cache lines.
/// Matrices of bytes and wide matrices of 2-byte elements are excluded, because they have faster
/// tiles.
template <int SIZE>
bool prefers_strips(const Task& task, std::int64_t shorter_side) {
    const std::int64_t side = SIZE < 4 ? 128 : 64;
    const bool is_empty =
        divide_rounding_up(side, shorter_side) * side > shorter_side + shorter_side / 8;
    if (SIZE < 4) return SIZE == 2 && is_empty && shorter_side > side && task.cols < task.rows;
    return is_empty || shorter_side * SIZE % 128 != 0;
}

/// Strips of a tall matrix are faster than the tiles of RewoundRows if the matrix has fewer than
/// `max_strip_cols` columns. Strips of a wide matrix are faster if it has fewer than
/// `max_strip_rows` rows.
constexpr std::int64_t max_strip_cols = 152;
template <int SIZE>
constexpr std::int64_t max_strip_rows = SIZE == 1 ? 256 : 152;

template <int SIZE>
cudaError_t launch_best(Task task, const Queue& queue) {
    if constexpr (SIZE <= 4) {
        if (has_channels<SIZE>(task)) return launch_channels<SIZE>(task, queue);
    }
    const bool is_aligned =
        has_vectors(task.in, SIZE, task.cols, task.in_pitch, task.in_stride, task.batches) &&
        has_vectors(task.out, SIZE, task.rows, task.out_pitch, task.out_stride, task.batches);
    const std::int64_t shorter_side = task.rows < task.cols ? task.rows : task.cols;
    const bool is_narrow = shorter_side * SIZE < 128;
    if (is_stack<SIZE>(task) && (is_narrow || !is_aligned)) {
        if (is_stack_of_words<SIZE>(task)) return launch_stack_of_words<SIZE>(task, queue);
        const bool is_padded =
            bank_conflicts(Stack<SIZE, 256, 0>::WORD_ELEMENTS * task.cols * SIZE, SIZE) > 4;
        if (is_padded) return launch_stack<SIZE, strip_padding<SIZE>>(task, queue);
        return launch_stack<SIZE, 0>(task, queue);
    }
    const auto launch_by_tiles = [&] {
        if (!is_aligned) return launch_unaligned<SIZE>(task, shorter_side, queue);
        if (!are_sectors_split<SIZE>(task, shorter_side)) {
            return launch_aligned<SIZE>(task, shorter_side, queue);
        }
        if constexpr (SIZE == 1 || SIZE == 4) {
            if (task.has_fast_memory) {
                return launch<SIZE, typename FastestKernels<SIZE>::AlignedToSectors>(task, queue);
            }
        }
        return launch_unaligned<SIZE>(task, shorter_side, queue);
    };
    if (is_aligned && !is_narrow && !prefers_strips<SIZE>(task, shorter_side)) {
        return launch_by_tiles();
    }
    if constexpr (SIZE == 1) {
        if (is_tall_of_vectors(task)) return launch_tall_of_vectors(task, queue);
        if (is_wide_of_vectors(task)) return launch_wide_of_vectors(task, queue);
    }

    const Padding padding = choose_padding<SIZE>(shorter_side);
    const bool is_padded = padding == Padding::some, is_strip = padding != Padding::tiles;
    task.tile_rows = choose_tall_rows<SIZE>(task, is_padded);
    task.tile_cols = choose_wide_cols<SIZE>(task);
    // The tiles of RewoundRows are faster than long strips.
    const bool is_rewound = choose_rewinding<SIZE>(task) != Rewinding::none;
    const bool is_tall = task.in_pitch == task.cols && task.rows / 4 > task.cols &&
                         (!is_rewound || task.cols < max_strip_cols);
    if (is_strip && is_tall && task.tile_rows > 0) {
        if (is_padded) return launch_tall<SIZE, strip_padding<SIZE>>(task, queue);
        return launch_tall<SIZE, 0>(task, queue);
    }
    const bool is_wide = task.out_pitch == task.rows && task.cols / 4 > task.rows &&
                         (!is_rewound || task.rows < max_strip_rows<SIZE>);
    if (is_strip && is_wide && task.tile_cols > 0) {
        if (is_padded) return launch_wide<SIZE, strip_padding<SIZE>>(task, queue);
        return launch_wide<SIZE, 0>(task, queue);
    }
    return launch_by_tiles();
}

}  // namespace coalesce::transposing
