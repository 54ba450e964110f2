/// \file Chooses and launches the strip kernels, which transpose matrices with few columns or few
/// rows.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "byte_strips.cuh"
#include "fastest.cuh"
#include "launch.cuh"
#include "strips.cuh"
#include "tall_words.cuh"
#include "task.cuh"

namespace coalesce::transposing {

template <int SIZE, class Kernel>
cudaError_t launch_tall_kernel(const TransposeTask& task, const LaunchQueue& queue) {
    const std::int64_t loaded_rows = task.tile_rows + Kernel::EXTRA_ROWS;
    const std::int64_t strips = divide_rounding_up(task.tile_rows, task.rows + Kernel::EXTRA_ROWS);
    const std::int64_t shared_bytes =
        Kernel::Strip::line_shared_bytes(loaded_rows * task.cols * SIZE);
    return launch_tiles<SIZE, Kernel>(task, strips, 1, shared_bytes, queue);
}

/// The minimum number of strips of full length. If there were fewer strips, some multiprocessors
/// would be idle at the end, so strips are made half as long.
constexpr std::int64_t min_full_length_strips = 3000;

/// Reports whether the rows of a matrix of bytes start at word boundaries, consist of whole words,
/// and have a length that TallWordKernel supports.
inline bool are_rows_whole_words(const TransposeTask& task) {
    return is_aligned_to(task.in, 4) && task.cols % 4 == 0 && task.cols >= 24 && task.cols <= 128 &&
           (task.batches == 1 || task.in_stride % 4 == 0);
}
/// Reports whether TallWordKernel is faster than TallStripKernel. This is the case if at least nine
/// tenths of its lanes have words to transpose, or if the matrix has 97 to 111 columns.
inline bool are_lanes_mostly_busy(const TransposeTask& task) {
    const std::int64_t words_per_row = task.cols / 4,
                       lanes = divide_rounding_up(8, words_per_row) * 8;
    return words_per_row * 10 >= lanes * 9 || (task.cols > 96 && task.cols < 112);
}

inline cudaError_t launch_tall_word_strips(TransposeTask task, const LaunchQueue& queue) {
    task.tile_rows = TallWordKernel::choose_strip_rows(task.cols);
    return launch_tiles<1, TallWordKernel>(
        task, divide_rounding_up(task.tile_rows, task.rows + TallWordKernel::EXTRA_ROWS), 1,
        TallWordKernel::shared_bytes(task.tile_rows, task.cols), queue);
}

/// Reports whether a side of a matrix of bytes consists of 2, 4, 6 or 8 vectors.
inline bool has_few_whole_vectors(std::int64_t side_bytes) {
    return side_bytes == 32 || side_bytes == 64 || side_bytes == 96 || side_bytes == 128;
}
/// Reports whether TallVectorKernel should transpose the matrix. Rows of bytes must start at
/// multiples of 16 bytes, without gaps between them, and consist of 2, 4, 6 or 8 vectors. The
/// matrix must be large, and the GPU must have fast memory.
inline bool can_use_tall_vector_kernel(const TransposeTask& task) {
    return task.has_fast_memory && task.in_pitch == task.cols && has_few_whole_vectors(task.cols) &&
           is_aligned_to(task.in, 16) && (task.batches == 1 || task.in_stride % 16 == 0) &&
           task.rows * task.cols >= min_bytes_for_vector_strips;
}
inline cudaError_t launch_tall_vector_strips(const TransposeTask& task, const LaunchQueue& queue) {
    switch (task.cols) {
        case 32: return launch_fixed_tiles<1, TwoVectorRowKernel>(task, queue);
        case 64: return launch_fixed_tiles<1, FourVectorRowKernel>(task, queue);
        case 96: return launch_fixed_tiles<1, SixVectorRowKernel>(task, queue);
        default: return launch_fixed_tiles<1, EightVectorRowKernel>(task, queue);
    }
}

/// Reports whether WideVectorKernel should transpose the matrix. The matrix must be large, with 64
/// or 128 rows of bytes. Rows of `out` must start at multiples of 16 bytes, without gaps between
/// them. The GPU must have fast memory.
inline bool can_use_wide_vector_kernel(const TransposeTask& task) {
    return task.has_fast_memory && task.out_pitch == task.rows &&
           (task.rows == 64 || task.rows == 128) && is_aligned_to(task.out, 16) &&
           (task.batches == 1 || task.out_stride % 16 == 0) &&
           task.rows * task.cols >= min_bytes_for_vector_strips;
}
inline cudaError_t launch_wide_vector_strips(const TransposeTask& task, const LaunchQueue& queue) {
    return task.rows == 64 ? launch_fixed_tiles<1, FourVectorColumnKernel>(task, queue)
                           : launch_fixed_tiles<1, EightVectorColumnKernel>(task, queue);
}

/// Launches the strip kernel for the tall matrix's number of columns, with the cache hints LOADS
/// and STORES.
template <int SIZE, int PAD, LoadPolicy LOADS, StorePolicy STORES>
cudaError_t launch_tall_with_policies(const TransposeTask& task, const LaunchQueue& queue) {
    if constexpr (SIZE == 1) {
        using HalfLengthKernel = TallStripKernel<1, 128, 6, PAD, LOADS, STORES>;
        TransposeTask half_length_task = task;
        half_length_task.tile_rows /= 2;
        const bool has_few_strips =
            divide_rounding_up(task.tile_rows, task.rows) < min_full_length_strips / task.batches;
        if (has_few_strips && half_length_task.tile_rows >= HalfLengthKernel::ROWS_PER_WARP) {
            return launch_tall_kernel<1, HalfLengthKernel>(half_length_task, queue);
        }
    }
    if constexpr (SIZE >= 4) {
        if (task.cols >= min_cols_counted_as_many) {
            return launch_tall_kernel<SIZE, ManyColKernel<SIZE, PAD, LOADS>>(task, queue);
        }
    }
    return launch_tall_kernel<SIZE, FewColKernel<SIZE, PAD, LOADS, STORES>>(task, queue);
}

/// Launches a strip kernel for a tall matrix, with the cache hints that are fastest for the
/// matrix's element size and total size. On GPUs without fast memory (device.cuh), uses no hints.
template <int SIZE, int PAD>
cudaError_t launch_tall_strips(const TransposeTask& task, const LaunchQueue& queue) {
    using Loads = LoadPolicy;
    using Stores = StorePolicy;
    if (!task.has_fast_memory) {
        return launch_tall_with_policies<SIZE, PAD, Loads::plain, Stores::plain>(task, queue);
    }
    if constexpr (SIZE == 1) {
        if (are_rows_whole_words(task) && are_lanes_mostly_busy(task) &&
            task.rows / min_full_length_strips >
                TallWordKernel::choose_strip_rows(task.cols) / task.batches) {
            return launch_tall_word_strips(task, queue);
        }
        if (task.cols % 4 != 0 && has_at_least_bytes<1>(task, min_tall_bytes_for_evict_last)) {
            return launch_tall_with_policies<1, PAD, Loads::evict_last_128, Stores::plain>(task,
                                                                                           queue);
        }
    }
    if constexpr (SIZE == 4) {
        if (task.cols >= min_cols_counted_as_many && task.cols <= max_cols_counted_as_medium) {
            return launch_tall_kernel<4, MediumColKernel<PAD>>(task, queue);
        }
        if (benefits_from_evict_last<4>(task, false)) {
            return launch_tall_with_policies<4, PAD, Loads::evict_last_128, Stores::plain>(task,
                                                                                           queue);
        }
    }
    if constexpr (SIZE < 4) {
        if (SIZE == 1 || task.cols % 8 != 0) {
            return launch_tall_with_policies<SIZE, PAD, Loads::plain, Stores::streaming>(task,
                                                                                         queue);
        }
    }
    return launch_tall_with_policies<SIZE, PAD, Loads::plain, Stores::plain>(task, queue);
}

template <int SIZE, class Kernel>
cudaError_t launch_wide_kernel(const TransposeTask& task, const LaunchQueue& queue) {
    const std::int64_t shared_bytes =
        Kernel::Line::line_shared_bytes(task.tile_cols * task.rows * SIZE);
    return launch_tiles<SIZE, Kernel>(task, 1, divide_rounding_up(task.tile_cols, task.cols),
                                      shared_bytes, queue);
}

/// Reports whether a matrix of small elements has columns that consist of whole words and start at
/// word boundaries of `out`.
template <int SIZE>
bool are_columns_whole_words(const TransposeTask& task) {
    constexpr int ELEMENTS_PER_WORD = 4 / SIZE;
    return is_aligned_to(task.out, 4) && task.rows % ELEMENTS_PER_WORD == 0 &&
           (task.batches == 1 || task.out_stride % ELEMENTS_PER_WORD == 0);
}

/// Limits for taking two strips of columns per block. On GPUs with fast memory, a block does so if
/// a matrix of bytes has at most `max_rows_for_two_strips` rows and at least
/// `min_bytes_for_two_strips` bytes.
constexpr std::int64_t max_rows_for_two_strips = 40, min_bytes_for_two_strips = 20'000'000;
/// Launches the kernel that transposes small elements before it stores them to shared memory.
template <int SIZE, LoadPolicy LOADS>
cudaError_t launch_wide_word_strips(TransposeTask task, const LaunchQueue& queue) {
    using Kernel = WideWordKernel<SIZE, 4, LOADS>;
    const bool uses_two_strips = task.has_fast_memory && task.rows <= max_rows_for_two_strips &&
                                 has_at_least_bytes<SIZE>(task, min_bytes_for_two_strips);
    const int strips_per_block = SIZE == 1 ? (uses_two_strips ? 2 : 1) : task.rows <= 24 ? 4 : 2;
    task.tile_cols = strips_per_block * Kernel::TRANSPOSED_COLS;
    // Without padding, if the number of rows is a multiple of 16, the words that lanes store would
    // be in only two banks.
    if constexpr (SIZE == 1) {
        if (task.rows % 16 != 0)
            return launch_wide_kernel<1, WideWordKernel<1, 0, LOADS>>(task, queue);
    }
    return launch_wide_kernel<SIZE, Kernel>(task, queue);
}

/// Launches the kernel for wide matrices of 1- and 2-byte elements on GPUs with fast memory. Strips
/// with more rows are loaded by more threads.
template <int SIZE>
cudaError_t launch_one_piece_strips(const TransposeTask& task, const LaunchQueue& queue) {
    if (task.rows < 42) return launch_wide_kernel<SIZE, OnePieceKernel<SIZE, 256>>(task, queue);
    if (task.rows < (SIZE == 1 ? 56 : 72))
        return launch_wide_kernel<SIZE, OnePieceKernel<SIZE, 288>>(task, queue);
    if (SIZE == 2 || task.rows < 72)
        return launch_wide_kernel<SIZE, OnePieceKernel<SIZE, 384>>(task, queue);
    return launch_wide_kernel<SIZE, OnePieceKernel<SIZE, 512>>(task, queue);
}

/// Launches the kernel for wide matrices with 57 to 119 rows of 4-byte elements. The kernel loads
/// `THREADS / 64 * LOADS_IN_FLIGHT` rows per round, so two rounds must cover all rows.
template <LoadPolicy LOADS>
cudaError_t launch_two_rounds(TransposeTask task, const LaunchQueue& queue) {
    task.tile_cols = 64;
    if (task.rows <= 64) return launch_wide_kernel<4, TwoRoundKernel<128, 16, LOADS>>(task, queue);
    if (task.rows <= 80) return launch_wide_kernel<4, TwoRoundKernel<128, 20, LOADS>>(task, queue);
    if (task.rows <= 96) return launch_wide_kernel<4, TwoRoundKernel<192, 16, LOADS>>(task, queue);
    return launch_wide_kernel<4, TwoRoundKernel<192, 20, LOADS>>(task, queue);
}

/// Launches the strip kernel that is fastest for the wide matrix's number of rows.
template <int SIZE, int PAD, LoadPolicy LOADS>
cudaError_t launch_wide_strips_by_rows(const TransposeTask& task, const LaunchQueue& queue) {
    if (task.rows < min_rows_counted_as_medium) {
        return launch_wide_kernel<SIZE, FewRowKernel<SIZE, PAD, LOADS>>(task, queue);
    }
    if constexpr (SIZE == 4) {
        if (task.has_fast_memory && task.rows > max_rows_for_28_loads &&
            task.rows < min_rows_counted_as_many<4>) {
            return launch_two_rounds<LOADS>(task, queue);
        }
    }
    // Padding makes these kernels faster even if it avoids no bank conflicts.
    constexpr int PAD_FOR_MANY_ROWS = SIZE < 4 ? PAD : strip_padding_bytes<SIZE>;
    if (task.rows < min_rows_counted_as_many<SIZE>) {
        return launch_wide_kernel<SIZE, MediumRowKernel<SIZE, PAD_FOR_MANY_ROWS, LOADS>>(task,
                                                                                         queue);
    }
    return launch_wide_kernel<SIZE, ManyRowKernel<SIZE, PAD_FOR_MANY_ROWS, LOADS>>(task, queue);
}

template <int SIZE, int PAD>
cudaError_t launch_wide_strips(const TransposeTask& task, const LaunchQueue& queue) {
    if constexpr (SIZE >= 4) {
        if (task.rows < min_rows_counted_as_few)
            return launch_wide_kernel<SIZE, VeryFewRowKernel<SIZE>>(task, queue);
        if constexpr (SIZE == 4) {
            if (task.has_fast_memory && task.rows >= min_rows_for_paired_threads &&
                task.rows <= max_rows_for_28_loads) {
                TransposeTask paired_thread_task = task;
                paired_thread_task.tile_cols = 64;
                return task.rows <= max_rows_for_25_loads
                           ? launch_wide_kernel<4, PairedThreadKernel<25, PAD>>(paired_thread_task,
                                                                                queue)
                           : launch_wide_kernel<4, PairedThreadKernel<28, PAD>>(paired_thread_task,
                                                                                queue);
            }
        }
        // In a strip, the first and the last cache line of a row are shared with other strips. Keep
        // these lines in the cache, because the next strip needs the rest of them.
        const bool uses_evict_last = task.has_fast_memory && (task.rows <= 20 || task.rows >= 32) &&
                                     has_at_least_bytes<SIZE>(task, min_wide_bytes_for_evict_last);
        if (uses_evict_last || benefits_from_evict_last<SIZE>(task, false)) {
            return launch_wide_strips_by_rows<SIZE, PAD, LoadPolicy::evict_last_128>(task, queue);
        }
    }
    if constexpr (SIZE == 1) {
        const bool has_medium_row_count =
            task.rows >= min_rows_for_byte_kernels && task.rows < min_rows_counted_as_many<1>;
        if (has_medium_row_count && are_columns_whole_words<1>(task)) {
            const bool uses_evict_last =
                task.has_fast_memory && task.rows <= max_rows_for_evict_last &&
                has_at_least_bytes<1>(task, min_wide_word_bytes_for_evict_last);
            return uses_evict_last
                       ? launch_wide_word_strips<1, LoadPolicy::evict_last_128>(task, queue)
                       : launch_wide_word_strips<1, LoadPolicy::plain>(task, queue);
        }
        if (has_medium_row_count && PAD == 0 && task.has_fast_memory) {
            return launch_one_piece_strips<1>(task, queue);
        }
        if (has_medium_row_count && PAD == 0 && task.rows < min_rows_counted_as_medium) {
            return launch_wide_kernel<1, FewByteRowKernel>(task, queue);
        }
        if (has_medium_row_count && PAD == 0 && task.rows < max_rows_for_byte_kernels) {
            return launch_wide_kernel<1, MediumByteRowKernel>(task, queue);
        }
    }
    if constexpr (SIZE == 2) {
        // With 32 rows, the stores would hit only a few banks even with padding.
        const bool has_medium_row_count = task.rows >= 20 && task.rows <= 48 && task.rows != 32;
        if (task.has_fast_memory && has_medium_row_count && are_columns_whole_words<2>(task)) {
            return launch_wide_word_strips<2, LoadPolicy::plain>(task, queue);
        }
        // Strips with padding are excluded, because the hint makes them slower.
        if (task.has_fast_memory && task.rows % 16 != 0 &&
            benefits_from_evict_last<2>(task, false)) {
            return launch_wide_strips_by_rows<2, PAD, LoadPolicy::evict_last_128>(task, queue);
        }
        if (task.has_fast_memory && PAD == 0 && task.rows >= 20 &&
            task.rows < min_rows_counted_as_many<2>) {
            return launch_one_piece_strips<2>(task, queue);
        }
    }
    return launch_wide_strips_by_rows<SIZE, PAD, LoadPolicy::plain>(task, queue);
}

}  // namespace coalesce::transposing
