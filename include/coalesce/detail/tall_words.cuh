/// \file
/// The kernel for tall matrices of bytes whose rows consist of whole words.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "strips.cuh"
#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// A variant of TallStripKernel that transposes 4 x 4 bytes in registers. A block loads a strip as
/// one line, and then overwrites the line with the strip's columns. The block loads EXTRA_ROWS
/// additional rows, so that it can store whole sectors.
struct TallWordKernel {
    static constexpr int THREADS = 512, WARPS = THREADS / 32, MIN_RESIDENT_BLOCKS = 4,
                         UNITS_PER_THREAD = 4;
    static constexpr int SECTOR_BYTES = 32, EXTRA_ROWS = SECTOR_BYTES;
    using Line = SharedLine<16>;

    /// Return distances in shared memory, in words. word_pitch() is the distance between
    /// neighbouring words of a vector, and column_pitch() the distance between neighbouring
    /// columns. Both are odd, so that lanes use different banks.
    static __host__ __device__ int word_pitch(int rows) { return rows / 16 | 1; }
    static __host__ __device__ int column_pitch(int rows) { return word_pitch(rows) * 4 + 1; }

    /// Returns the number of rows that a block stores.
    static int choose_strip_rows(std::int64_t cols) {
        // A warp processes UNITS_PER_THREAD units. A unit is 8 words of each of 16 rows, and
        // `units_down` units are vertically adjacent.
        const std::int64_t units_down = UNITS_PER_THREAD * WARPS / ((cols / 4 + 7) / 8);
        const std::int64_t rows = units_down * 16 / SECTOR_BYTES * SECTOR_BYTES;
        const std::int64_t max_rows = 992;
        return static_cast<int>(rows < max_rows + EXTRA_ROWS ? rows - EXTRA_ROWS : max_rows);
    }
    static std::int64_t shared_bytes(int tile_rows, std::int64_t cols) {
        const int rows = tile_rows + EXTRA_ROWS;
        const std::int64_t line_bytes = Line::line_shared_bytes(rows * cols);
        const std::int64_t column_bytes = column_pitch(rows) * 4 * cols;
        return line_bytes > column_bytes ? line_bytes : column_bytes;
    }

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, task.tile_rows, 0);
        const bool is_inner = origin.row >= EXTRA_ROWS && origin.row + task.tile_rows <= task.rows;
        if (is_inner) {
            transpose<true>(task, origin, shared);
        } else {
            transpose<false>(task, origin, shared);
        }
    }

    template <bool IS_INNER>
    static __device__ void transpose(const TransposeTask& task, const TileOrigin& origin,
                                     char* shared) {
        const int cols = static_cast<int>(task.cols);
        const std::int64_t top_row = origin.row - EXTRA_ROWS;
        // The rows of the strip that are within the matrix.
        const int begin_row = IS_INNER || top_row >= 0 ? 0 : EXTRA_ROWS;
        const std::int64_t rows_left = task.rows - top_row;
        const int loaded_rows = task.tile_rows + EXTRA_ROWS,
                  end_row = rows_left < loaded_rows ? static_cast<int>(rows_left) : loaded_rows;
        const char* const source = in_matrix_address<1>(task, origin) + top_row * cols;
        const Line line(shared, source);
        const int skipped_bytes = begin_row * cols;
        copy_line<1, THREADS, 5>(LinePart{line, skipped_bytes},
                                 DeviceLine<const char>{source + skipped_bytes},
                                 (end_row - begin_row) * cols);
        __syncthreads();
        replace_line_by_columns<IS_INNER>(line, cols, loaded_rows, begin_row, end_row, shared);
        __syncthreads();
        store<IS_INNER>(task, origin, reinterpret_cast<const unsigned*>(shared));
    }

    /// The part of a line from byte `first_byte` onwards.
    struct LinePart {
        const Line& whole_line;
        int first_byte;

        __device__ char* byte_address(int byte) const {
            return whole_line.byte_address(first_byte + byte);
        }
        __device__ void store(int byte, const Vector<16>& vector) const {
            whole_line.store(first_byte + byte, vector);
        }
    };

    /// Returns the offset of word `word_index` of a column, in words, from the column's first word.
    static __device__ int find_word_offset(int word_index, int rows) {
        return (word_index & 3) * word_pitch(rows) + (word_index >> 2);
    }

    /// Replaces the strip with its columns. No thread stores a word before all threads have loaded
    /// their words.
    template <bool IS_INNER>
    static __device__ void replace_line_by_columns(const Line& line, int cols, int rows,
                                                   int begin_row, int end_row, char* shared) {
        const int words = cols / 4, units_across = (words + 7) / 8,
                  units = units_across * ((rows + 15) / 16);
        const Divider unit_divider(units_across);
        const int lane = threadIdx.x % 32, step = column_pitch(rows);
        unsigned word[UNITS_PER_THREAD][4];
        int word_position[UNITS_PER_THREAD];
#pragma unroll
        for (int k = 0; k < UNITS_PER_THREAD; ++k) {
            const int unit = threadIdx.x / 32 + k * WARPS, unit_row = unit_divider.quotient(unit);
            const int x = (unit - unit_row * units_across) * 8 + lane % 8,
                      group = unit_row * 4 + lane / 8;
            word_position[k] = -1;
            if (unit >= units || x >= words || group * 4 >= rows) continue;
            word_position[k] = x * 4 * step + find_word_offset(group, rows);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int row = group * 4 + i;
                word[k][i] = 0;
                if (!IS_INNER && (row < begin_row || row >= end_row)) continue;
                word[k][i] =
                    *reinterpret_cast<const unsigned*>(line.byte_address(row * cols + x * 4));
            }
        }
        __syncthreads();
        unsigned* const columns = reinterpret_cast<unsigned*>(shared);
#pragma unroll
        for (int k = 0; k < UNITS_PER_THREAD; ++k) {
            if (word_position[k] < 0) continue;
            Vector<4> row_vector[4], column_vector[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) row_vector[i].word[0] = word[k][i];
            transpose_vectors<1>(column_vector, row_vector);
#pragma unroll
            for (int i = 0; i < 4; ++i)
                columns[word_position[k] + i * step] = column_vector[i].word[0];
        }
    }

    template <bool IS_INNER>
    static __device__ void store(const TransposeTask& task, const TileOrigin& origin,
                                 const unsigned* columns) {
        const int rows = task.tile_rows + EXTRA_ROWS, step = column_pitch(rows);
        const int vectors_per_column = task.tile_rows / 16,
                  total_vectors = vectors_per_column * static_cast<int>(task.cols);
        const Divider vector_divider(vectors_per_column);
        char* const out_tile_start = out_matrix_address<1>(task, origin) + origin.row;
#ifndef __clang__  // clang cannot unroll this loop and would print a warning
#    pragma unroll 4
#endif
        for (int i = threadIdx.x; i < total_vectors; i += THREADS) {
            const int col = vector_divider.quotient(i), vector_index = i - col * vectors_per_column;
            char* target = out_tile_start + col * task.out_pitch;
            const int misaligned_bytes =
                static_cast<int>(reinterpret_cast<std::uintptr_t>(target) % SECTOR_BYTES);
            target += vector_index * 16 - misaligned_bytes;
            const int first_row = EXTRA_ROWS - misaligned_bytes + vector_index * 16;
            const Vector<16> spliced_vector = splice_vector(columns + col * step, first_row, rows);
            if (IS_INNER) {
                store_vector(target, spliced_vector);
            } else {
                store_bytes(target, spliced_vector,
                            origin.row - misaligned_bytes + vector_index * 16, task.rows);
            }
        }
    }

    /// Returns 16 bytes of a column, beginning with row `first_row` of the strip.
    static __device__ Vector<16> splice_vector(const unsigned* column, int first_row, int rows) {
        unsigned word[5];
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            const bool is_word_unused = i == 4 && first_row % 4 == 0;
            word[i] = column[find_word_offset(first_row / 4 + (is_word_unused ? 3 : i), rows)];
        }
        Vector<16> spliced_vector;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            spliced_vector.word[i] = __funnelshift_r(word[i], word[i + 1], first_row % 4 * 8);
        }
        return spliced_vector;
    }

    /// Stores the bytes of the vector that belong to rows of the matrix.
    static __device__ void store_bytes(char* target, const Vector<16>& vector, std::int64_t row,
                                       std::int64_t rows) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (row + i < 0 || row + i >= rows) continue;
            element<1>(target, i) = static_cast<unsigned char>(vector.word[i / 4] >> (i % 4 * 8));
        }
    }
};

}  // namespace coalesce::transposing
