/// \file
/// The kernel for large matrices of 1- and 2-byte elements with unaligned rows.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "anywhere.cuh"
#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// A kernel for elements smaller than a word, in matrices with unaligned rows. It loads aligned
/// vectors, and rotates each row in shared memory so that the words of a column are below each
/// other. It then transposes the words in registers, and splices the vectors of `out`.
/// A block loads 256 bytes of each row, but uses only 240 of them, because a row may start anywhere
/// in a vector. Words in shared memory are permuted to avoid bank conflicts.
template <int SIZE, int LOADED_ROWS, int THREADS_, int BLOCKS_, LoadPolicy LOADS,
          int ALIGNMENT_BYTES = 16>
struct RewoundRowKernel {
    /// The number of blocks that must fit on a multiprocessor. It limits the registers per thread.
    static constexpr int MIN_RESIDENT_BLOCKS = BLOCKS_;
    static constexpr int VECTOR_ELEMENTS = 16 / SIZE, EXTRA_ROWS = ALIGNMENT_BYTES / SIZE,
                         ELEMENTS_PER_WORD = 4 / SIZE;
    static constexpr int TILE_ROWS = LOADED_ROWS - EXTRA_ROWS, TILE_COLS = 240 / SIZE;
    static constexpr int THREADS = THREADS_, WARPS = THREADS / 32;
    static constexpr int VECTORS_PER_ROW = LOADED_ROWS / VECTOR_ELEMENTS,
                         UNITS_PER_THREAD = VECTORS_PER_ROW * 64 / THREADS;
    static constexpr int SHARED_BYTES = LOADED_ROWS * 256;
    static constexpr int ROWS_PER_ROUND = THREADS / 16, COLS_PER_ROUND = THREADS / VECTORS_PER_ROW;
    static_assert(VECTORS_PER_ROW == 8 || VECTORS_PER_ROW == 16,
                  "the bank assignment supports only 8 or 16 vectors per row");
    static_assert(VECTORS_PER_ROW * 64 % THREADS == 0 && LOADED_ROWS % ROWS_PER_ROUND == 0, "even");
    static_assert(ROWS_PER_ROUND % VECTOR_ELEMENTS == 0 &&
                      COLS_PER_ROUND % (8 * ELEMENTS_PER_WORD) == 0 &&
                      COLS_PER_ROUND % EXTRA_ROWS == 0,
                  "a thread's are alike");

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_in_strip_group(task, TILE_ROWS, TILE_COLS);
        const std::int64_t top_row = origin.row - EXTRA_ROWS;
        const char* tile_start =
            in_matrix_address<SIZE>(task, origin) + (top_row * task.in_pitch + origin.col) * SIZE;
        Vector<16> loaded_vector[ROUNDS];
        if (can_read_around_tile(task, origin)) {
            load(task, tile_start, loaded_vector);
        } else {
            load_edge_tile(task, origin, tile_start, loaded_vector);
        }
        store_rotated_words(task, tile_start, loaded_vector, shared);
        __syncthreads();
        transpose_words(shared);
        __syncthreads();
        store(task, origin, shared);
    }

    /// Reports whether the tile is within the matrix, including one extra vector at both ends of
    /// each row.
    static __device__ bool can_read_around_tile(const TransposeTask& task,
                                                const TileOrigin& origin) {
        const std::int64_t top_row = origin.row - EXTRA_ROWS,
                           bottom_row = origin.row + TILE_ROWS - 1;
        const std::int64_t cols_before = origin.col,
                           cols_after = task.cols - origin.col - 256 / SIZE;
        if (top_row < 0 || bottom_row >= task.rows) return false;
        if (task.in_pitch != task.cols)
            return cols_before >= VECTOR_ELEMENTS && cols_after >= VECTOR_ELEMENTS;
        return top_row * task.cols + cols_before >= VECTOR_ELEMENTS &&
               (task.rows - 1 - bottom_row) * task.cols + cols_after >= VECTOR_ELEMENTS;
    }

    /// The number of vectors that a thread loads.
    static constexpr int ROUNDS = LOADED_ROWS / ROWS_PER_ROUND;

    /// Returns the first row that a thread loads. A warp loads two rows at a time. Both of them
    /// start at the same position in a vector.
    static __device__ int find_first_row() {
        const int warp = threadIdx.x / 32;
        return warp / VECTOR_ELEMENTS * (2 * VECTOR_ELEMENTS) + warp % VECTOR_ELEMENTS +
               threadIdx.x % 32 / 16 * VECTOR_ELEMENTS;
    }

    static __device__ unsigned count_misaligned_bytes(const char* row_start) {
        return reinterpret_cast<std::uintptr_t>(row_start) % 16;
    }

    static __device__ void load(const TransposeTask& task, const char* tile_start,
                                Vector<16> (&loaded_vector)[ROUNDS]) {
        const std::int64_t step = ROWS_PER_ROUND * task.in_pitch * SIZE;
        const char* const row = tile_start + find_first_row() * task.in_pitch * SIZE;
        const char* source = row - count_misaligned_bytes(row) + threadIdx.x % 16 * 16;
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k, source += step)
            loaded_vector[k] = load_with_policy<LOADS>(source);
    }

    /// Loads the vectors of a tile at the edge of the matrix. In rows outside the matrix, the
    /// loaded values are 0. A vector that is partly outside the matrix is loaded element by
    /// element.
    static __device__ void load_edge_tile(const TransposeTask& task, const TileOrigin& origin,
                                          const char* tile_start,
                                          Vector<16> (&loaded_vector)[ROUNDS]) {
        const int x = threadIdx.x % 16;
        const char* const in = in_matrix_address<SIZE>(task, origin);
        const bool is_dense = task.in_pitch == task.cols;
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int row_in_tile = find_first_row() + k * ROWS_PER_ROUND;
            const std::int64_t row = origin.row - EXTRA_ROWS + row_in_tile;
            loaded_vector[k] = {};
            if (row < 0 || row >= task.rows) continue;
            const char* const row_start = tile_start + row_in_tile * task.in_pitch * SIZE;
            const char* const source = row_start - count_misaligned_bytes(row_start) + x * 16;
            const char* const begin = is_dense ? in : in + row * task.in_pitch * SIZE;
            const char* const end = begin + (is_dense ? task.rows : 1) * task.cols * SIZE;
            if (source >= begin && source + 16 <= end) {
                loaded_vector[k] = load_with_policy<LOADS>(source);
                continue;
            }
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
                const char* const address = source + i * SIZE;
                if (address < begin || address >= end) continue;
                loaded_vector[k].word[i / ELEMENTS_PER_WORD] |=
                    static_cast<unsigned>(element<SIZE>(address, 0))
                    << (i % ELEMENTS_PER_WORD * SIZE * 8);
            }
        }
    }

    /// Returns the position of a word in shared memory. One thread stores words 0 to 3, the next
    /// thread stores words 4 to 7, and so on. Words 0, 4, 8, ..., which a warp stores at the same
    /// time, are adjacent.
    static __device__ int find_word_offset(int row, int word_index) {
        const int row_group = row / VECTOR_ELEMENTS,
                  shared_word_index = word_index % 4 * 16 + word_index / 4;
        return row * 256 +
               (shared_word_index ^ swizzle_row_group(row_group) ^ (word_index >> 1 & 1) << 1) * 4;
    }
    static __device__ constexpr int swizzle_row_group(int row_group) {
        return (row_group & 1) << 4 | (row_group >> 1 & 3) << 2;
    }

    /// Stores the words of a row, rotated so that the row's first element comes first. The bytes
    /// before this element move to the end of the row, where they are not used.
    static __device__ void store_rotated_words(const TransposeTask& task, const char* tile_start,
                                               const Vector<16> (&loaded_vector)[ROUNDS],
                                               char* shared) {
        const int x = threadIdx.x % 16;
        const unsigned misaligned_bytes =
            count_misaligned_bytes(tile_start + find_first_row() * task.in_pitch * SIZE);
        int word_offset[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            word_offset[j] = find_word_offset(
                find_first_row(), (4 * x + j - static_cast<int>(misaligned_bytes / 4)) & 63);
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const unsigned(&word)[4] = loaded_vector[k].word;
            const unsigned next_word = __shfl_down_sync(~0u, word[0], 1);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const unsigned high = j < 3 ? word[j < 3 ? j + 1 : 0] : next_word;
                const int shared_offset =
                    (word_offset[j] ^ swizzle_row_group(k * ROWS_PER_ROUND / VECTOR_ELEMENTS) * 4) +
                    k * (ROWS_PER_ROUND * 256);
                *reinterpret_cast<unsigned*>(shared + shared_offset) =
                    __funnelshift_r(word[j], high, misaligned_bytes * 8);
            }
        }
    }

    /// Returns the position of a word in the transposed tile. A column has 4 * VECTORS_PER_ROW
    /// words.
    static __device__ int find_transposed_word_offset(int col, int vector_index, int word_index) {
        const int word_number = word_index * VECTORS_PER_ROW + vector_index;
        const int x = col / ELEMENTS_PER_WORD;
        return (col * VECTORS_PER_ROW * 4 + (word_number ^ ((x & 1) | (x & 6) << 2))) * 4;
    }

    /// The words that a thread transposes: word `x` of each row in `row_group`.
    struct TransposeUnit {
        int x, row_group;

        explicit __device__ TransposeUnit(int unit_number) {
            const int warp_unit = threadIdx.x / 32 + unit_number * WARPS, lane = threadIdx.x % 32;
            x = warp_unit % 8 * 8 + lane % 8;
            row_group = warp_unit / 16 * 8 + lane / 8 * 2 + warp_unit / 8 % 2;
        }
    };

    /// Transposes the words in shared memory. Each thread loads all of its words before it stores
    /// the first result, because the results overwrite the words.
    static __device__ void transpose_words(char* shared) {
        unsigned word[UNITS_PER_THREAD][VECTOR_ELEMENTS];
#pragma unroll
        for (int k = 0; k < UNITS_PER_THREAD; ++k) {
            const TransposeUnit unit(k);
            const char* const source =
                shared + find_word_offset(unit.row_group * VECTOR_ELEMENTS, unit.x);
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
                word[k][i] = *reinterpret_cast<const unsigned*>(source + i * 256);
            }
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < UNITS_PER_THREAD; ++k) {
            const TransposeUnit unit(k);
            Vector<16> column_vector[ELEMENTS_PER_WORD];
            transpose_word_column(column_vector, word[k]);
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                char* const target = shared + find_transposed_word_offset(
                                                  unit.x * ELEMENTS_PER_WORD, unit.row_group, w);
#pragma unroll
                for (int j = 0; j < ELEMENTS_PER_WORD; ++j) {
                    *reinterpret_cast<unsigned*>(target + j * (VECTORS_PER_ROW * 16)) =
                        column_vector[j].word[w];
                }
            }
        }
    }

    /// Transposes VECTOR_ELEMENTS words from consecutive rows. Each column of elements in these
    /// words becomes a vector.
    static __device__ void transpose_word_column(Vector<16> (&transposed_vector)[ELEMENTS_PER_WORD],
                                                 const unsigned (&word)[VECTOR_ELEMENTS]) {
#pragma unroll
        for (int g = 0; g < 4; ++g) {
            Vector<4> row_vector[ELEMENTS_PER_WORD], column_vector[ELEMENTS_PER_WORD];
#pragma unroll
            for (int i = 0; i < ELEMENTS_PER_WORD; ++i)
                row_vector[i].word[0] = word[g * ELEMENTS_PER_WORD + i];
            transpose_vectors<SIZE>(column_vector, row_vector);
#pragma unroll
            for (int i = 0; i < ELEMENTS_PER_WORD; ++i)
                transposed_vector[i].word[g] = column_vector[i].word[0];
        }
    }

    /// Returns the first column that a thread stores. The columns of a warp are so far apart that
    /// they are in different banks.
    static __device__ int find_first_col() {
        constexpr int COL_DISTANCE_IN_WARP = VECTORS_PER_ROW / 4 * ELEMENTS_PER_WORD,
                      COLS_PER_WARP = 32 / VECTORS_PER_ROW;
        const int warp = threadIdx.x / 32, col_in_warp = threadIdx.x % 32 / VECTORS_PER_ROW;
        return warp / COL_DISTANCE_IN_WARP * (COL_DISTANCE_IN_WARP * COLS_PER_WARP) +
               warp % COL_DISTANCE_IN_WARP + col_in_warp * COL_DISTANCE_IN_WARP;
    }

    static __device__ void store(const TransposeTask& task, const TileOrigin& origin,
                                 const char* shared) {
        const int vector_index = threadIdx.x % VECTORS_PER_ROW, first_col = find_first_col();
        if (vector_index >= VECTORS_PER_ROW - ALIGNMENT_BYTES / 16) return;
        const std::int64_t step = COLS_PER_ROUND * task.out_pitch * SIZE;
        const std::int64_t cols_left = task.cols - origin.col;
        const int cols = cols_left < TILE_COLS ? static_cast<int>(cols_left) : TILE_COLS;
        const std::int64_t first_element = (origin.col + first_col) * task.out_pitch + origin.row;
        char* target = out_matrix_address<SIZE>(task, origin) + first_element * SIZE;
        const unsigned misaligned_bytes =
            reinterpret_cast<std::uintptr_t>(target) % ALIGNMENT_BYTES;
        const std::int64_t row =
            origin.row + vector_index * VECTOR_ELEMENTS - misaligned_bytes / SIZE;
        const bool is_inner = row >= 0 && row + VECTOR_ELEMENTS <= task.rows;
        target += vector_index * 16 - static_cast<int>(misaligned_bytes);

        // The addresses of the five words to splice. The last one may be unused.
        const char* source[5];
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            const bool is_word_unused = i == 4 && misaligned_bytes % 4 == 0;
            const int word = (ALIGNMENT_BYTES - misaligned_bytes) / 4 + (is_word_unused ? 3 : i);
            source[i] =
                shared + find_transposed_word_offset(first_col, vector_index + word / 4, word % 4);
        }
#pragma unroll
        for (int k = 0; k < (TILE_COLS + COLS_PER_ROUND - 1) / COLS_PER_ROUND;
             ++k, target += step) {
            if (first_col + k * COLS_PER_ROUND >= cols) return;
            unsigned word[5];
            Vector<16> vector;
#pragma unroll
            for (int i = 0; i < 5; ++i) {
                word[i] = *reinterpret_cast<const unsigned*>(
                    source[i] + k * (COLS_PER_ROUND * VECTORS_PER_ROW * 16));
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                vector.word[i] = __funnelshift_r(word[i], word[i + 1], (16 - misaligned_bytes) * 8);
            }
            if (is_inner) {
                store_vector(target, vector);
            } else {
                store_elements(target, vector, row, task.rows);
            }
        }
    }

    /// Stores only those elements of the vector that belong to rows of the matrix.
    static __device__ void store_elements(char* target, const Vector<16>& vector, std::int64_t row,
                                          std::int64_t rows) {
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
            if (row + i < 0 || row + i >= rows) continue;
            const unsigned word =
                vector.word[i / ELEMENTS_PER_WORD] >> (i % ELEMENTS_PER_WORD * SIZE * 8);
            element<SIZE>(target, i) = static_cast<Element<SIZE>>(word);
        }
    }
};

}  // namespace coalesce::transposing
