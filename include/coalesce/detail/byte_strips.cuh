/// \file
/// Kernels for matrices of bytes whose shorter side consists of a few whole vectors.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "anywhere.cuh"
#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// A block of bytes in shared memory. It consists of GROUPS groups of 16 lines, and a line consists
/// of PITCH vectors. Unused vectors after each group prevent bank conflicts between threads that
/// access different groups.
template <int GROUPS, int PITCH>
struct VectorLines {
    static constexpr int VECTORS_PER_GROUP = 16 * PITCH + (GROUPS < 8 ? 8 / GROUPS : 1);
    static constexpr int TOTAL_BYTES = GROUPS * VECTORS_PER_GROUP * 16;

    char* shared_data;

    __device__ char* vector_address(int line_index, int vector_index) const {
        return shared_data +
               (line_index / 16 * VECTORS_PER_GROUP + line_index % 16 * PITCH + vector_index) * 16;
    }
    /// Returns the 16 bytes that begin at byte `first_byte` of the line.
    __device__ Vector<16> load_unaligned(int line_index, int first_byte) const {
        const char* const source = vector_address(line_index, first_byte / 16);
        return splice_vectors<1>(load_vector<16>(source), load_vector<16>(source + 16),
                                 static_cast<unsigned>(first_byte % 16));
    }
};

/// A kernel for matrices of bytes with 16 * THREADS_ACROSS columns. Each thread loads a vector from
/// each of 16 rows, and transposes these 16 x 16 bytes in registers. If SWAPS_ROWS is true, two
/// neighbouring threads together load whole cache lines of their rows, and then swap rows.
template <int THREADS_ACROSS, int THREADS_DOWN, int BLOCKS_, LoadPolicy LOADS, bool SWAPS_ROWS>
struct TallVectorKernel {
    static constexpr int THREADS = THREADS_ACROSS * THREADS_DOWN, WARPS = THREADS / 32,
                         MIN_RESIDENT_BLOCKS = BLOCKS_;
    static constexpr int EXTRA_ROWS = 32, ROWS = THREADS_DOWN * 16, TILE_ROWS = ROWS - EXTRA_ROWS;
    static constexpr int COLS = THREADS_ACROSS * 16, TILE_COLS = COLS;
    using Lines = VectorLines<THREADS_ACROSS, THREADS_DOWN + 1>;
    static constexpr int SHARED_BYTES =
        Lines::TOTAL_BYTES + 16;  // load() may read one vector past the end
    static_assert(!SWAPS_ROWS || 32 % (2 * THREADS_ACROSS) == 0,
                  "threads that swap rows are in the same warp");

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, TILE_ROWS, TILE_COLS);
        const bool is_inner = origin.row >= EXTRA_ROWS && origin.row + TILE_ROWS <= task.rows;
        const Lines column_lines{shared};
        Vector<16> row_vector[16], column_vector[16];
        load(task, origin, is_inner, row_vector);
        transpose_vectors<1>(column_vector, row_vector);
        const int x = threadIdx.x % THREADS_ACROSS, y = threadIdx.x / THREADS_ACROSS;
#pragma unroll
        for (int i = 0; i < 16; ++i)
            store_vector(column_lines.vector_address(x * 16 + i, y), column_vector[i]);
        __syncthreads();
        store(task, origin, is_inner, column_lines);
    }

    static __device__ void load(const TransposeTask& task, const TileOrigin& origin, bool is_inner,
                                Vector<16> (&row_vector)[16]) {
        const int x = threadIdx.x % THREADS_ACROSS, y = threadIdx.x / THREADS_ACROSS;
        const std::int64_t top_row = origin.row - EXTRA_ROWS, first_row = top_row + y * 16;
        const char* const source = in_matrix_address<1>(task, origin) + first_row * COLS + x * 16;
        if (!is_inner) {
#pragma unroll
            for (int i = 0; i < 16; ++i) {
                row_vector[i] = {};
                if (first_row + i < 0 || first_row + i >= task.rows) continue;
                row_vector[i] = load_with_policy<LOADS>(source + i * COLS);
            }
        } else if constexpr (SWAPS_ROWS) {
            // An even thread loads the even rows of both threads, and an odd thread the odd rows.
            const bool is_odd_thread = y % 2 == 1;
            const char* const row_pair_start = source + (is_odd_thread ? 1 - 16 : 0) * COLS;
#pragma unroll
            for (int i = 0; i < 16; i += 2) {
                row_vector[i] = load_with_policy<LOADS>(row_pair_start + i * COLS);
                row_vector[i + 1] = load_with_policy<LOADS>(row_pair_start + (16 + i) * COLS);
            }
#pragma unroll
            for (int i = 0; i < 16; i += 2)
                swap_rows(row_vector[i], row_vector[i + 1], is_odd_thread);
        } else {
#pragma unroll
            for (int i = 0; i < 16; ++i) row_vector[i] = load_with_policy<LOADS>(source + i * COLS);
        }
    }
    /// Swaps the second vector of an even thread with the first vector of the next odd thread.
    static __device__ void swap_rows(Vector<16>& first_vector, Vector<16>& second_vector,
                                     bool is_odd_thread) {
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            const unsigned sent_word = is_odd_thread ? first_vector.word[w] : second_vector.word[w];
            const unsigned received_word = __shfl_xor_sync(~0u, sent_word, THREADS_ACROSS);
            if (is_odd_thread) {
                first_vector.word[w] = received_word;
            } else {
                second_vector.word[w] = received_word;
            }
        }
    }

    /// Stores the columns. A warp stores up to 32 vectors of a column at a time.
    static __device__ void store(const TransposeTask& task, const TileOrigin& origin, bool is_inner,
                                 const Lines& column_lines) {
        constexpr int CHUNKS_PER_COLUMN = (THREADS_DOWN + 31) / 32;
        char* const out_tile_start = out_matrix_address<1>(task, origin) + origin.row;
#ifndef __clang__  // clang cannot unroll this loop and would print a warning
#    pragma unroll 2
#endif
        for (int i = threadIdx.x / 32; i < COLS * CHUNKS_PER_COLUMN; i += WARPS) {
            const int col = i / CHUNKS_PER_COLUMN,
                      vector_index =
                          i % CHUNKS_PER_COLUMN * 32 + static_cast<int>(threadIdx.x) % 32;
            if (vector_index >= TILE_ROWS / 16) continue;
            char* target = out_tile_start + col * task.out_pitch;
            const int misaligned_bytes =
                static_cast<int>(reinterpret_cast<std::uintptr_t>(target) % EXTRA_ROWS);
            target += vector_index * 16 - misaligned_bytes;
            const Vector<16> spliced_vector =
                column_lines.load_unaligned(col, EXTRA_ROWS - misaligned_bytes + vector_index * 16);
            if (is_inner) {
                store_vector(target, spliced_vector);
            } else {
                store_bytes(target, spliced_vector,
                            origin.row - misaligned_bytes + vector_index * 16, task.rows);
            }
        }
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

/// The counterpart of TallVectorKernel: a kernel for matrices of 16 * THREADS_DOWN rows of bytes.
/// Rows of `in` may start anywhere in a vector, so each thread splices 16 vectors. The thread then
/// transposes these vectors in registers, and stores them.
template <int THREADS_DOWN, int BLOCKS_, LoadPolicy LOADS>
struct WideVectorKernel {
    static constexpr int THREADS_ACROSS = 32, THREADS = THREADS_ACROSS * THREADS_DOWN,
                         WARPS = THREADS_DOWN, MIN_RESIDENT_BLOCKS = BLOCKS_;
    static constexpr int ROWS = THREADS_DOWN * 16, TILE_ROWS = ROWS, EXTRA_ROWS = 0,
                         TILE_COLS = THREADS_ACROSS * 16;
    using Lines = VectorLines<THREADS_DOWN, THREADS_ACROSS + 1>;
    static constexpr int SHARED_BYTES = Lines::TOTAL_BYTES;
    /// The number of vectors that a thread loads. The last vector of each row is loaded separately.
    static constexpr int ROUNDS = ROWS / WARPS;
    static_assert(ROWS <= THREADS, "each thread loads the last vector of at most one row");

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, TILE_ROWS, TILE_COLS);
        const Lines row_lines{shared};
        if (origin.col >= 16 && origin.col + TILE_COLS + 16 <= task.cols) {
            load<true>(task, origin, row_lines);
        } else {
            load<false>(task, origin, row_lines);
        }
        __syncthreads();
        store(task, origin, row_lines);
    }

    /// Returns the start of the vector that contains the block's first element of a row.
    static __device__ const char* first_vector_of_row(const char* row, const TileOrigin& origin) {
        const char* const first_element = row + origin.col;
        return first_element - reinterpret_cast<std::uintptr_t>(first_element) % 16;
    }
    /// Loads vector `vector_index` of the block's part of a row. Reads nothing outside the row.
    template <bool IS_INNER>
    static __device__ Vector<16> load_vector_of_row(const TransposeTask& task,
                                                    const TileOrigin& origin, const char* row,
                                                    int vector_index) {
        const char* const source = first_vector_of_row(row, origin) + vector_index * 16;
        if (IS_INNER) return load_with_policy<LOADS>(source);
        Vector<16> vector = {};
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (source + i < row || source + i >= row + task.cols) continue;
            vector.word[i / 4] |= static_cast<unsigned>(element<1>(source, i)) << (i % 4 * 8);
        }
        return vector;
    }

    template <bool IS_INNER>
    static __device__ void load(const TransposeTask& task, const TileOrigin& origin,
                                const Lines& row_lines) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const int thread = static_cast<int>(threadIdx.x);
        const char* const in_matrix = in_matrix_address<1>(task, origin);
        const char* row = in_matrix + warp * task.in_pitch;
        Vector<16> vector[ROUNDS], last_vector;
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k, row += WARPS * task.in_pitch)
            vector[k] = load_vector_of_row<IS_INNER>(task, origin, row, lane);
        if (thread < ROWS) {
            last_vector = load_vector_of_row<IS_INNER>(
                task, origin, in_matrix + thread * task.in_pitch, THREADS_ACROSS);
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k)
            store_vector(row_lines.vector_address(warp + k * WARPS, lane), vector[k]);
        if (thread < ROWS)
            store_vector(row_lines.vector_address(thread, THREADS_ACROSS), last_vector);
    }

    static __device__ void store(const TransposeTask& task, const TileOrigin& origin,
                                 const Lines& row_lines) {
        const int x = threadIdx.x % THREADS_DOWN, y = threadIdx.x / THREADS_DOWN;
        const char* const first_element =
            in_matrix_address<1>(task, origin) + x * 16 * task.in_pitch + origin.col;
        const auto first_element_address =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first_element));
        Vector<16> row_vector[16], column_vector[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const unsigned misaligned_bytes =
                (first_element_address + i * static_cast<unsigned>(task.in_pitch)) % 16;
            row_vector[i] =
                row_lines.load_unaligned(x * 16 + i, static_cast<int>(misaligned_bytes) + y * 16);
        }
        transpose_vectors<1>(column_vector, row_vector);
        const std::int64_t col = origin.col + y * 16;
        char* const target = out_matrix_address<1>(task, origin) + col * ROWS + x * 16;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (col + i < task.cols) store_vector(target + i * ROWS, column_vector[i]);
        }
    }
};

}  // namespace coalesce::transposing
