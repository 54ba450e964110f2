/// \file
/// The kernel for tall matrices of bytes whose rows consist of whole words.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "strips.cuh"
#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// A kernel like Tall that transposes 4 x 4 bytes in registers. A block loads a strip as one line,
/// and then overwrites the line with the strip's columns. The block loads LEAD extra rows, so that
/// it can store whole sectors.
struct TallOfWords {
    static constexpr int THREADS = 512, WARPS = THREADS / 32, BLOCKS = 4, UNITS_PER_THREAD = 4;
    static constexpr int SECTOR_BYTES = 32, LEAD = SECTOR_BYTES;
    using Line = SharedLine<16>;

    /// Return distances in shared memory, in words: word_step() the distance from one word of a
    /// vector to the next, and column_step() the distance from one column to the next. Both are
    /// odd, so that lanes use different banks.
    static __host__ __device__ int word_step(int rows) { return rows / 16 | 1; }
    static __host__ __device__ int column_step(int rows) { return word_step(rows) * 4 + 1; }

    /// Returns the number of rows that a block stores.
    static int strip_rows(std::int64_t cols) {
        // A warp processes UNITS_PER_THREAD units. A unit is 8 words of each of 16 rows, and
        // `units_down` units are vertically adjacent.
        const std::int64_t units_down = UNITS_PER_THREAD * WARPS / ((cols / 4 + 7) / 8);
        const std::int64_t rows = units_down * 16 / SECTOR_BYTES * SECTOR_BYTES;
        const std::int64_t max_rows = 992;
        return static_cast<int>(rows < max_rows + LEAD ? rows - LEAD : max_rows);
    }
    static std::int64_t shared_bytes(int tile_rows, std::int64_t cols) {
        const int rows = tile_rows + LEAD;
        const std::int64_t line = Line::line_shared_bytes(rows * cols);
        const std::int64_t columns = column_step(rows) * 4 * cols;
        return line > columns ? line : columns;
    }

    static __device__ void run(const Task& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, task.tile_rows, 0);
        const bool is_inner = origin.row >= LEAD && origin.row + task.tile_rows <= task.rows;
        if (is_inner) {
            transpose<true>(task, origin, shared);
        } else {
            transpose<false>(task, origin, shared);
        }
    }

    template <bool IS_INNER>
    static __device__ void transpose(const Task& task, const TileOrigin& origin, char* shared) {
        const int cols = static_cast<int>(task.cols);
        const std::int64_t top = origin.row - LEAD;
        // The range of the strip's rows that are within the matrix.
        const int begin = IS_INNER || top >= 0 ? 0 : LEAD;
        const std::int64_t rows_left = task.rows - top;
        const int loaded_rows = task.tile_rows + LEAD,
                  end = rows_left < loaded_rows ? static_cast<int>(rows_left) : loaded_rows;
        const char* const from = in_address<1>(task, origin) + top * cols;
        const Line line(shared, from);
        const int skipped_bytes = begin * cols;
        copy_line<1, THREADS, 5>(LineFromByte{line, skipped_bytes},
                                 DeviceLine<const char>{from + skipped_bytes},
                                 (end - begin) * cols);
        __syncthreads();
        replace_by_columns<IS_INNER>(line, cols, loaded_rows, begin, end, shared);
        __syncthreads();
        store<IS_INNER>(task, origin, reinterpret_cast<const unsigned*>(shared));
    }

    /// The part of a line from byte `first` onwards.
    struct LineFromByte {
        const Line& line;
        int first;

        __device__ char* at(int byte) const { return line.at(first + byte); }
        __device__ void store(int byte, const Vector<16>& vector) const {
            line.store(first + byte, vector);
        }
    };

    /// Returns the offset of word `number` of a column, in words, from the column's first word.
    static __device__ int word_position(int number, int rows) {
        return (number & 3) * word_step(rows) + (number >> 2);
    }

    /// Replaces the strip with its columns. No thread stores a word before all threads have loaded
    /// their words.
    template <bool IS_INNER>
    static __device__ void replace_by_columns(const Line& line, int cols, int rows, int begin,
                                              int end, char* shared) {
        const int words = cols / 4, units_across = (words + 7) / 8,
                  units = units_across * ((rows + 15) / 16);
        const Divider unit_divider(units_across);
        const int lane = threadIdx.x % 32, step = column_step(rows);
        unsigned word[UNITS_PER_THREAD][4];
        int to[UNITS_PER_THREAD];
#pragma unroll
        for (int k = 0; k < UNITS_PER_THREAD; ++k) {
            const int unit = threadIdx.x / 32 + k * WARPS, unit_row = unit_divider.quotient(unit);
            const int x = (unit - unit_row * units_across) * 8 + lane % 8,
                      group = unit_row * 4 + lane / 8;
            to[k] = -1;
            if (unit >= units || x >= words || group * 4 >= rows) continue;
            to[k] = x * 4 * step + word_position(group, rows);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int row = group * 4 + i;
                word[k][i] = 0;
                if (!IS_INNER && (row < begin || row >= end)) continue;
                word[k][i] = *reinterpret_cast<const unsigned*>(line.at(row * cols + x * 4));
            }
        }
        __syncthreads();
        unsigned* const columns = reinterpret_cast<unsigned*>(shared);
#pragma unroll
        for (int k = 0; k < UNITS_PER_THREAD; ++k) {
            if (to[k] < 0) continue;
            Vector<4> piece[4], column_vector[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) piece[i].word[0] = word[k][i];
            transpose_vectors<1>(column_vector, piece);
#pragma unroll
            for (int i = 0; i < 4; ++i) columns[to[k] + i * step] = column_vector[i].word[0];
        }
    }

    template <bool IS_INNER>
    static __device__ void store(const Task& task, const TileOrigin& origin,
                                 const unsigned* columns) {
        const int rows = task.tile_rows + LEAD, step = column_step(rows);
        const int vectors = task.tile_rows / 16, count = vectors * static_cast<int>(task.cols);
        const Divider vector_divider(vectors);
        char* const out = out_address<1>(task, origin) + origin.row;
#ifndef __clang__  // clang cannot unroll this loop and would print a warning
#    pragma unroll 4
#endif
        for (int i = threadIdx.x; i < count; i += THREADS) {
            const int col = vector_divider.quotient(i), number = i - col * vectors;
            char* to = out + col * task.out_pitch;
            const int bytes_before =
                static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % SECTOR_BYTES);
            to += number * 16 - bytes_before;
            const int first = LEAD - bytes_before + number * 16;
            const Vector<16> vector = splice(columns + col * step, first, rows);
            if (IS_INNER) {
                store_vector(to, vector);
            } else {
                store_bytes(to, vector, origin.row - bytes_before + number * 16, task.rows);
            }
        }
    }

    /// Returns 16 bytes of a column, beginning with row `first` of the strip.
    static __device__ Vector<16> splice(const unsigned* column, int first, int rows) {
        unsigned word[5];
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            const bool is_unused = i == 4 && first % 4 == 0;
            word[i] = column[word_position(first / 4 + (is_unused ? 3 : i), rows)];
        }
        Vector<16> vector;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            vector.word[i] = __funnelshift_r(word[i], word[i + 1], first % 4 * 8);
        }
        return vector;
    }

    /// Stores the bytes of the vector that belong to rows of the matrix.
    static __device__ void store_bytes(char* to, const Vector<16>& vector, std::int64_t row,
                                       std::int64_t rows) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (row + i < 0 || row + i >= rows) continue;
            element<1>(to, i) = static_cast<unsigned char>(vector.word[i / 4] >> (i % 4 * 8));
        }
    }
};

}  // namespace coalesce::transposing
