/// \file
/// The fastest kernel of each family for a task, as measured on an H200.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "aligned.cuh"
#include "anywhere.cuh"
#include "byte_strips.cuh"
#include "launch.cuh"
#include "rewound.cuh"
#include "strips.cuh"
#include "task.cuh"

namespace coalesce::transposing {

/// Reports whether the address is divisible by `alignment`.
inline bool is_aligned_to(const void* data, std::int64_t alignment) {
    return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(alignment) == 0;
}

/// Reports whether every row of the matrix starts and ends at a multiple of 16 bytes, so that the
/// row consists of whole vectors. `row_length` is the number of elements in a row.
inline bool are_rows_whole_vectors(const void* data, std::int64_t element_size,
                                   std::int64_t row_length, std::int64_t pitch,
                                   std::int64_t matrix_stride, std::int64_t batches) {
    return is_aligned_to(data, 16) && pitch * element_size % 16 == 0 &&
           row_length * element_size % 16 == 0 &&
           (batches == 1 || matrix_stride * element_size % 16 == 0);
}

/// Returns how many threads of a warp access the same bank in the worst case. Consecutive threads
/// access elements that are `step_bytes` apart. In shared memory, `pad_bytes` unused bytes follow
/// every 128 bytes.
inline int count_bank_conflicts(std::int64_t step_bytes, int element_size, int pad_bytes = 0) {
    const int lanes = element_size > 4 ? 128 / element_size : 32;
    int words_per_bank[32] = {}, max_words_in_bank = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        std::int64_t byte_offset = lane * step_bytes;
        byte_offset += byte_offset / 128 * pad_bytes;
        int& words_in_bank = words_per_bank[byte_offset / 4 % 32];
        if (++words_in_bank > max_words_in_bank) max_words_in_bank = words_in_bank;
    }
    return max_words_in_bank;
}

/// The number of unused bytes that follow every 128 bytes of a padded strip in shared memory.
template <int SIZE>
constexpr int strip_padding_bytes = SIZE < 4 ? 4 : SIZE;

/// The effect of padding on bank conflicts in strips. If padding is insufficient, tiles should be
/// used instead of strips.
enum class StripPadding { unneeded, helpful, insufficient };
/// Chooses padding that avoids bank conflicts in strips. `shorter_side` is the shorter side of the
/// matrix.
template <int SIZE>
StripPadding choose_strip_padding(std::int64_t shorter_side) {
    const std::int64_t step_bytes = shorter_side * (SIZE < 4 ? 4 : SIZE);
    const int unpadded_conflicts = count_bank_conflicts(step_bytes, SIZE);
    const int padded_conflicts = count_bank_conflicts(step_bytes, SIZE, strip_padding_bytes<SIZE>);
    // Use tiles if padding leaves bank conflicts. If the shorter side has fewer than 32 elements,
    // strips are still better, because most of a tile would be empty.
    if (shorter_side >= 32 && unpadded_conflicts > 4 && padded_conflicts > 4)
        return StripPadding::insufficient;
    return padded_conflicts < unpadded_conflicts ? StripPadding::helpful : StripPadding::unneeded;
}

/// The fastest settings measured for strips of tall matrices: a kernel for few columns, a kernel
/// for many columns (at least `min_cols_counted_as_many`), and the maximum size of a strip in
/// bytes.
template <int SIZE, int PAD, LoadPolicy LOADS = LoadPolicy::plain,
          StorePolicy STORES = StorePolicy::plain>
using FewColKernel = TallStripKernel<SIZE, 256, SIZE == 1 ? 5 : 8, PAD, LOADS, STORES>;
template <int SIZE, int PAD, LoadPolicy LOADS = LoadPolicy::plain>
using ManyColKernel = TallStripKernel<SIZE, 512, 5, PAD, LOADS>;
constexpr std::int64_t min_cols_counted_as_many = 96;
/// The kernel for tall matrices with 96 to 113 columns of 4-byte elements, on GPUs with fast memory
/// (device.cuh). Seven of its blocks fit on a multiprocessor of an H200.
template <int PAD>
using MediumColKernel = TallStripKernel<4, 256, 4, PAD>;
constexpr std::int64_t max_cols_counted_as_medium = 113;
template <int SIZE>
constexpr std::int64_t max_tall_strip_bytes = SIZE == 1   ? 20'480
                                              : SIZE == 2 ? 25'600
                                                          : 32'768;

/// Reports whether a strip of this many rows is faster than a shorter strip. This is the case only
/// for 4-byte elements on GPUs with fast memory, if five strips leave at least 60 KB of an H200's
/// L1 cache unused.
template <int SIZE>
bool is_long_strip_faster(const TransposeTask& task, int rows, bool is_padded) {
    if (SIZE != 4 || !task.has_fast_memory || task.cols >= min_cols_counted_as_many) return false;
    constexpr std::int64_t max_strip_bytes = 39'100;
    const std::int64_t strip_bytes = (rows + FewColKernel<SIZE, 0>::EXTRA_ROWS) * task.cols * SIZE;
    return (is_padded
                ? FewColKernel<SIZE, strip_padding_bytes<SIZE>>::Strip::line_shared_bytes(
                      strip_bytes)
                : FewColKernel<SIZE, 0>::Strip::line_shared_bytes(strip_bytes)) <= max_strip_bytes;
}

/// Returns how many rows each block of TallStripKernel processes. Returns 0 if not even the
/// shortest strip fits into shared memory.
template <int SIZE>
int choose_tall_strip_rows(const TransposeTask& task, bool is_padded = false) {
    using Kernel = FewColKernel<SIZE, strip_padding_bytes<SIZE>>;
    for (int rows = 8192; rows >= Kernel::ROWS_PER_WARP; rows /= 2) {
        if (rows * task.cols * SIZE <= max_tall_strip_bytes<SIZE> ||
            is_long_strip_faster<SIZE>(task, rows, is_padded)) {
            return rows;
        }
    }
    const std::int64_t min_strip_bytes =
        (Kernel::ROWS_PER_WARP + Kernel::EXTRA_ROWS) * task.cols * SIZE;
    const std::int64_t max_shared_bytes = SIZE < 4 ? default_shared_bytes : opt_in_shared_bytes;
    return Kernel::Strip::line_shared_bytes(min_strip_bytes) <= max_shared_bytes
               ? Kernel::ROWS_PER_WARP
               : 0;
}

/// The kernels for tall matrices of bytes with 32, 64, 96 or 128 columns, on GPUs with fast memory
/// (device.cuh).
using TwoVectorRowKernel = TallVectorKernel<2, 128, 2, LoadPolicy::evict_last_128, true>;
using FourVectorRowKernel = TallVectorKernel<4, 64, 2, LoadPolicy::evict_last_128, true>;
using SixVectorRowKernel = TallVectorKernel<6, 32, 3, LoadPolicy::evict_last_128, false>;
using EightVectorRowKernel = TallVectorKernel<8, 32, 2, LoadPolicy::evict_last_128, false>;
/// The kernels for wide matrices of bytes with 64 or 128 rows, on GPUs with fast memory.
using FourVectorColumnKernel = WideVectorKernel<4, 4, LoadPolicy::evict_last_128>;
using EightVectorColumnKernel = WideVectorKernel<8, 2, LoadPolicy::evict_last_128>;
/// The minimum size, in bytes, of matrices for which TallVectorKernel and WideVectorKernel are
/// used.
constexpr std::int64_t min_bytes_for_vector_strips = 100'000'000;

/// The kernels for strips of wide matrices. Most of the names say whether a kernel is for few or
/// for many rows.
template <int SIZE>
using VeryFewRowKernel = WideStripKernel<SIZE, 128, 12, true, strip_padding_bytes<SIZE>>;
template <int SIZE, int PAD, LoadPolicy LOADS = LoadPolicy::plain>
using FewRowKernel = WideStripKernel<SIZE, 128, (SIZE < 4 ? 3 : 20), false, PAD, false, LOADS>;
template <int SIZE, int PAD, LoadPolicy LOADS = LoadPolicy::plain>
using MediumRowKernel = WideStripKernel<SIZE, 256,
                                        (SIZE < 4    ? 3
                                         : SIZE < 16 ? 16
                                                     : 10),
                                        false, PAD, false, LOADS>;
template <int SIZE, int PAD, LoadPolicy LOADS = LoadPolicy::plain>
using ManyRowKernel = std::conditional_t<
    SIZE == 1 && PAD != 0, MediumRowKernel<SIZE, PAD>,
    WideStripKernel<SIZE, (SIZE < 4 ? 512 : 256), (SIZE < 4 ? 2 : 20), false, PAD, false, LOADS>>;
template <int SIZE, int PAD, LoadPolicy LOADS = LoadPolicy::plain>
using WideWordKernel = WideStripKernel<SIZE, SIZE == 1 ? 128 : 192, 3, false, PAD, true, LOADS>;
/// A kernel in which two threads load a column together. One round of loads covers up to 2 *
/// LOADS_IN_FLIGHT rows.
template <int LOADS_IN_FLIGHT, int PAD>
using PairedThreadKernel =
    WideStripKernel<4, 128, LOADS_IN_FLIGHT, false, PAD, false, LoadPolicy::evict_last_128>;
/// The kernel for wide matrices with 57 to 119 rows and 4-byte elements, on GPUs with fast memory
/// (device.cuh). Each block takes 64 columns, and each thread loads its elements in two rounds.
template <int THREADS, int LOADS_IN_FLIGHT, LoadPolicy LOADS>
using TwoRoundKernel =
    WideStripKernel<4, THREADS, LOADS_IN_FLIGHT, false, strip_padding_bytes<4>, false, LOADS>;
constexpr std::int64_t min_rows_counted_as_few = 12, min_rows_counted_as_medium = 48;
constexpr std::int64_t min_rows_for_paired_threads = 41, max_rows_for_25_loads = 50,
                       max_rows_for_28_loads = 56;
/// Limits on the number of rows of a wide matrix of bytes, for the kernels that move its strips.
/// Between these limits, the last round of loads keeps enough warps busy.
constexpr std::int64_t min_rows_for_byte_kernels = 20, max_rows_for_byte_kernels = 72;
using FewByteRowKernel = WideStripKernel<1, 192, 2>;
using MediumByteRowKernel = WideStripKernel<1, 256, 2>;
/// The kernel for strips of wide matrices of 1- and 2-byte elements, on GPUs with fast memory
/// (device.cuh). A warp loads only one piece of a row at a time, so that more warps fit on a
/// multiprocessor.
template <int SIZE, int THREADS>
using OnePieceKernel = WideStripKernel<SIZE, THREADS, 1>;
template <int SIZE>
constexpr std::int64_t min_rows_counted_as_many = SIZE < 4 ? 100 : 120;

/// Returns how many columns of a wide matrix each block processes. Returns 0 if not even the
/// narrowest strip of columns fits into shared memory.
template <int SIZE>
int choose_wide_strip_cols(const TransposeTask& task) {
    const auto strip_bytes = [&](int cols) { return cols * task.rows * SIZE; };
    if constexpr (SIZE < 4) {
        using Kernel = FewRowKernel<SIZE, strip_padding_bytes<SIZE>>;
        int cols = Kernel::CHUNKS_PER_WARP * Kernel::COLS_PER_CHUNK;
        while (cols <= 2048 && strip_bytes(2 * cols) <= 16'000) cols *= 2;
        for (; cols >= 2 * Kernel::COLS_PER_CHUNK; cols /= 2) {
            if (Kernel::Line::line_shared_bytes(strip_bytes(cols)) <= opt_in_shared_bytes)
                return cols;
        }
        return 0;
    } else {
        int cols = task.rows < min_rows_counted_as_few          ? 4096
                   : task.rows < min_rows_counted_as_many<SIZE> ? 128
                                                                : 64;
        const bool has_medium_row_count =
            task.rows >= min_rows_counted_as_medium && task.rows < min_rows_counted_as_many<SIZE>;
        const int max_strip_bytes = task.rows < min_rows_counted_as_few ? 20'500
                                    : has_medium_row_count              ? 40'000
                                                                        : 52'000;
        for (; cols >= 32; cols /= 2) {
            if (strip_bytes(cols) <= max_strip_bytes) return cols;
        }
        return 0;
    }
}

/// The fastest kernels on an H200 for matrices of moderate size, by element size.
template <int SIZE>
struct FastestKernels;
template <>
struct FastestKernels<1> {
    template <LoadPolicy LOADS>
    using AlignedKernel = RegisterBlockKernel<1, 16, 8, 1, LOADS>;
    template <LoadPolicy LOADS>
    using AlignedFastMemoryKernel = RegisterBlockKernel<1, 16, 16, 1, LOADS>;
    using AlignedSectorKernel = WholeSectorKernel<1, 16, 16, LoadPolicy::evict_last_128>;
    using UnalignedKernel = RealignedVectorKernel<1, 8, 16, 32, 1, 8>;
    using SmallRewoundKernel = RewoundRowKernel<1, 128, 512, 4, LoadPolicy::evict_last_128, 32>;
    using LargeRewoundKernel = RewoundRowKernel<1, 256, 512, 2, LoadPolicy::evict_last_128, 32>;
    static constexpr std::int64_t min_bytes_for_large_tile = 200'000'000;
};
template <>
struct FastestKernels<2> {
    template <LoadPolicy LOADS>
    using AlignedKernel = RegisterBlockKernel<2, 16, 16, 1, LOADS>;
    using UnalignedKernel = RealignedVectorKernel<2, 16, 8, 16, 1, 32>;
    using SmallRewoundKernel = RewoundRowKernel<2, 128, 256, 4, LoadPolicy::plain, 32>;
    using LargeRewoundKernel = RewoundRowKernel<2, 128, 256, 4, LoadPolicy::evict_last_128, 32>;
    static constexpr std::int64_t min_bytes_for_large_tile = 60'000'000;
};
template <>
struct FastestKernels<4> {
    template <LoadPolicy LOADS>
    using AlignedKernel =
        std::conditional_t<LOADS == LoadPolicy::plain, RegisterBlockKernel<4, 16, 16, 1>,
                           AlignedWordKernel<LOADS>>;
    using AlignedSectorKernel = WholeSectorKernel<4, 16, 32, LoadPolicy::evict_last_128>;
    // The kernel for matrices in which all rows of `out`, but not all rows of `in`, start at cache
    // line boundaries.
    using AlignedLineKernel = RegisterBlockKernel<4, 32, 16, 1, LoadPolicy::evict_last_128>;
    // The kernel for batches of matrices that are one tile high.
    using OneTileHighKernel = RegisterBlockKernel<4, 8, 56, 1>;
    using UnalignedKernel = ShiftedElementKernel<4, 64, 64, 512, 32>;
    // Wider tiles with 1024 threads are as fast on an H100, but ten percent slower on an H200.
    using LargeUnalignedKernel =
        ShiftedElementKernel<4, 64, 64, 512, 32, LoadPolicy::evict_last_128>;
    using UnalignedFastMemoryKernel =
        ShiftedElementKernel<4, 64, 64, 256, 32, LoadPolicy::evict_last_128>;
    using AlignedOutKernel = ShiftedElementKernel<4, 64, 64, 512, 4>;
    using LargeAlignedOutKernel =
        ShiftedElementKernel<4, 64, 64, 512, 4, LoadPolicy::evict_last_128>;
    using AlignedOutFastMemoryKernel =
        ShiftedElementKernel<4, 32, 128, 512, 4, LoadPolicy::evict_last_128>;
};
template <>
struct FastestKernels<8> {
    template <LoadPolicy LOADS>
    using AlignedKernel = RegisterBlockKernel<8, 16, 32, 1, LOADS>;
    using UnalignedKernel = ShiftedElementKernel<8, 32, 64, 512, 32>;
    using LargeUnalignedKernel =
        ShiftedElementKernel<8, 64, 32, 512, 32, LoadPolicy::evict_last_128>;
    using AlignedOutKernel = ShiftedElementKernel<8, 32, 32, 256, 8>;
    using LargeAlignedOutKernel =
        ShiftedElementKernel<8, 32, 64, 512, 8, LoadPolicy::evict_last_128>;
};
template <>
struct FastestKernels<16> {
    template <LoadPolicy LOADS>
    using AlignedKernel = RegisterBlockKernel<16, 16, 16, 2, LOADS>;
    using UnalignedKernel = ShiftedElementKernel<16, 32, 32, 512, 32>;
    using LargeUnalignedKernel =
        ShiftedElementKernel<16, 64, 16, 512, 32, LoadPolicy::evict_last_128>;
    using AlignedOutKernel = ShiftedElementKernel<16, 32, 16, 256, 16>;
    using LargeAlignedOutKernel =
        ShiftedElementKernel<16, 32, 32, 512, 16, LoadPolicy::evict_last_128>;
};

/// Reports whether a matrix with this many rows of 4-byte elements nearly fills a tile of 224 rows,
/// whereas at least a fifth of the area of 64-row tiles would be empty. For batches of such
/// matrices, the tall tiles are faster on GPUs with fast memory (device.cuh).
inline bool nearly_fills_tall_tile(std::int64_t rows) {
    return rows > 192 && rows <= 204;
}

/// The minimum size, in bytes, of matrices whose transpose becomes faster if they are loaded with
/// the hint `evict_last`. Smaller transposes become slower, by up to 6 % at 64 MB.
constexpr std::int64_t min_bytes_for_evict_last = 400'000'000;
/// The size, in bytes, from which matrices with unaligned rows are loaded with the hint
/// `evict_last`.
constexpr std::int64_t min_unaligned_bytes_for_evict_last = 200'000'000;
/// The size, in bytes, from which strips of wide matrices are loaded with the hint `evict_last`, on
/// GPUs with fast memory. Matrices of 21 to 31 rows are excluded, because their last round of loads
/// is short.
constexpr std::int64_t min_wide_bytes_for_evict_last = 100'000'000;
/// The size, in bytes, from which strips of tall matrices of bytes are loaded with the hint
/// `evict_last`, on GPUs with fast memory.
constexpr std::int64_t min_tall_bytes_for_evict_last = 100'000'000;
/// The size, in bytes, from which wide matrices of bytes that are transposed in registers are
/// loaded with the hint `evict_last`, on GPUs with fast memory. If there are more rows than
/// `max_rows_for_evict_last`, the hint makes the transpose slower.
constexpr std::int64_t min_wide_word_bytes_for_evict_last = 40'000'000,
                       max_rows_for_evict_last = 80;
/// The size, in bytes, from which stacks of 4-byte elements are loaded with the hint `evict_last`,
/// on GPUs with fast memory.
constexpr std::int64_t min_stack_bytes_for_evict_last = 300'000'000;
/// Reports whether the total size of all matrices is at least this many bytes.
template <int SIZE>
bool has_at_least_bytes(const TransposeTask& task, std::int64_t min_bytes) {
    // Dividing avoids an overflow: batches with a stride of 0 may have more than 2^63 elements.
    return task.rows * task.cols >= min_bytes / SIZE / task.batches;
}
/// Reports whether loading with `evict_last` makes the transpose faster.
template <int SIZE>
bool benefits_from_evict_last(const TransposeTask& task, bool is_aligned) {
    return has_at_least_bytes<SIZE>(
        task, is_aligned ? min_bytes_for_evict_last : min_unaligned_bytes_for_evict_last);
}

/// The tile size of RewoundRowKernel. `unused` means that this kernel is not used, because a side
/// of the matrix is too short or the elements are too large (4 bytes or more).
enum class RotatedRowTile { unused, small, large };
template <int SIZE>
RotatedRowTile choose_rotated_row_tile(const TransposeTask& task) {
    if constexpr (SIZE < 4) {
        if (task.rows < 128 || task.cols < 128) return RotatedRowTile::unused;
        // If a matrix has few rows, a taller tile would be largely empty.
        const bool is_matrix_large =
            task.rows * task.cols * SIZE >= FastestKernels<SIZE>::min_bytes_for_large_tile;
        return is_matrix_large && (SIZE > 1 || task.rows >= 1024 || task.cols < task.rows)
                   ? RotatedRowTile::large
                   : RotatedRowTile::small;
    }
    return RotatedRowTile::unused;
}

/// The maximum length of a strip of tiles, in rows or columns. In a longer strip, the L2 cache
/// would evict the strip's cache lines before the next strip uses them.
constexpr std::int64_t max_cached_strip_length = 26'000;
/// The maximum length of a strip of tiles, for 4-byte elements on GPUs with fast memory. It exceeds
/// `max_cached_strip_length`, because grouping shorter strips costs more than it saves.
constexpr std::int64_t max_strip_length_in_fast_memory = 40'000;
/// The number of strips in a group. The strips of a group cover 15 to 32 KB of each row. In smaller
/// groups, too little of a row would be read at a time.
template <int SIZE>
constexpr unsigned strips_per_group = SIZE == 1 ? 64 : 128;
/// Changes the direction of the strips if they are too long for the L2 cache. If strips in the
/// other direction are too long as well, groups the strips instead.
template <int SIZE>
void shorten_strips(TransposeTask& task) {
    const std::int64_t strip_length = task.is_down_first ? task.rows : task.cols;
    const std::int64_t other_side_length = task.is_down_first ? task.cols : task.rows;
    const std::int64_t max_strip_length = SIZE == 4 && task.has_fast_memory
                                              ? max_strip_length_in_fast_memory
                                              : max_cached_strip_length;
    if (strip_length <= max_strip_length) return;
    if (other_side_length <= max_strip_length) {
        task.is_down_first = !task.is_down_first;
    } else {
        task.strips_in_group = strips_per_group<SIZE>;
    }
}

/// Returns the task with its tiles reordered, so that neighbouring blocks use the cache lines that
/// they share while these lines are in the L2 cache. This order helps if rows are aligned, but do
/// not start at cache line boundaries.
template <int SIZE>
TransposeTask group_tiles_sharing_lines(TransposeTask task) {
    if (SIZE == 4) shorten_strips<SIZE>(task);
    // Tiles in the same row of tiles share sectors of `in`, so consecutive blocks go along the row.
    if (SIZE == 2 && task.in_pitch * SIZE % 32 != 0) task.is_down_first = false;
    return task;
}

/// Reports whether all rows of `out` start at sector boundaries, so that stores need no shift.
template <int SIZE>
bool are_out_rows_sector_aligned(const TransposeTask& task) {
    return is_aligned_to(task.out, 32) && task.out_pitch * SIZE % 32 == 0 &&
           (task.batches == 1 || task.out_stride * SIZE % 32 == 0);
}

/// Reports whether the kernels for aligned rows would store partial sectors that the L2 cache
/// evicts before other blocks complete them. In this case, the kernels for unaligned rows are
/// faster.
template <int SIZE>
bool would_split_sectors(const TransposeTask& task, std::int64_t shorter_side) {
    constexpr std::int64_t min_shorter_side = 256;
    constexpr std::int64_t min_matrix_bytes = SIZE == 1   ? 40'000'000
                                              : SIZE == 2 ? 100'000'000
                                                          : min_unaligned_bytes_for_evict_last;
    return SIZE <= 4 && shorter_side >= min_shorter_side &&
           !are_out_rows_sector_aligned<SIZE>(task) &&
           task.rows * task.cols >= min_matrix_bytes / SIZE / task.batches;
}

/// Reports whether all elements of a column are in the same memory channel.
template <int SIZE>
bool is_column_in_one_channel(const TransposeTask& task) {
    return task.in_pitch * SIZE % (128 * 1024) == 0;
}

}  // namespace coalesce::transposing
