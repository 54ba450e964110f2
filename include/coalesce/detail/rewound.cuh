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
/// A block loads 256 bytes of each row and uses 240 of them, because a row may start anywhere in a
/// vector. Words in shared memory are permuted to avoid bank conflicts.
template <int SIZE, int LOADED_ROWS, int THREADS_, int BLOCKS_, LoadPolicy LOADS, int SHIFT = 16>
struct RewoundRows {
    /// The minimum number of blocks per multiprocessor, which limits the registers per thread.
    static constexpr int BLOCKS = BLOCKS_;
    static constexpr int VECTOR_ELEMENTS = 16 / SIZE, LEAD = SHIFT / SIZE,
                         ELEMENTS_PER_WORD = 4 / SIZE;
    static constexpr int TILE_ROWS = LOADED_ROWS - LEAD, TILE_COLS = 240 / SIZE;
    static constexpr int THREADS = THREADS_, WARPS = THREADS / 32;
    static constexpr int ROW_VECTORS = LOADED_ROWS / VECTOR_ELEMENTS,
                         UNITS_PER_THREAD = ROW_VECTORS * 64 / THREADS;
    static constexpr int SHARED_BYTES = LOADED_ROWS * 256;
    static constexpr int ROW_STEP = THREADS / 16, COL_STEP = THREADS / ROW_VECTORS;
    static_assert(ROW_VECTORS == 8 || ROW_VECTORS == 16,
                  "the bank assignment supports only 8 or 16 vectors per row");
    static_assert(ROW_VECTORS * 64 % THREADS == 0 && LOADED_ROWS % ROW_STEP == 0, "even");
    static_assert(ROW_STEP % VECTOR_ELEMENTS == 0 && COL_STEP % (8 * ELEMENTS_PER_WORD) == 0 &&
                      COL_STEP % LEAD == 0,
                  "a thread's are alike");

    static __device__ void run(const Task& task, char* shared) {
        const TileOrigin origin = find_tile_in_strip_group(task, TILE_ROWS, TILE_COLS);
        const std::int64_t top = origin.row - LEAD;
        const char* corner =
            in_address<SIZE>(task, origin) + (top * task.in_pitch + origin.col) * SIZE;
        Vector<16> value[ROUNDS];
        if (may_read_around(task, origin)) {
            load(task, corner, value);
        } else {
            load_edge(task, origin, corner, value);
        }
        store_words_from_row_start(task, corner, value, shared);
        __syncthreads();
        transpose_words(shared);
        __syncthreads();
        store(task, origin, shared);
    }

    /// Reports whether the tile is within the matrix, including one extra vector at both ends of
    /// each row.
    static __device__ bool may_read_around(const Task& task, const TileOrigin& origin) {
        const std::int64_t top = origin.row - LEAD, bottom = origin.row + TILE_ROWS - 1;
        const std::int64_t cols_before = origin.col,
                           cols_behind = task.cols - origin.col - 256 / SIZE;
        if (top < 0 || bottom >= task.rows) return false;
        if (task.in_pitch != task.cols)
            return cols_before >= VECTOR_ELEMENTS && cols_behind >= VECTOR_ELEMENTS;
        return top * task.cols + cols_before >= VECTOR_ELEMENTS &&
               (task.rows - 1 - bottom) * task.cols + cols_behind >= VECTOR_ELEMENTS;
    }

    /// The number of vectors that a thread loads.
    static constexpr int ROUNDS = LOADED_ROWS / ROW_STEP;

    /// Returns the first row that a thread loads. A warp loads two rows at a time, which start at
    /// the same position in a vector.
    static __device__ int first_row() {
        const int warp = threadIdx.x / 32;
        return warp / VECTOR_ELEMENTS * (2 * VECTOR_ELEMENTS) + warp % VECTOR_ELEMENTS +
               threadIdx.x % 32 / 16 * VECTOR_ELEMENTS;
    }

    static __device__ unsigned misalignment(const char* row) {
        return reinterpret_cast<std::uintptr_t>(row) % 16;
    }

    static __device__ void load(const Task& task, const char* corner, Vector<16> (&value)[ROUNDS]) {
        const std::int64_t step = ROW_STEP * task.in_pitch * SIZE;
        const char* const row = corner + first_row() * task.in_pitch * SIZE;
        const char* from = row - misalignment(row) + threadIdx.x % 16 * 16;
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k, from += step) value[k] = load_evict_last<LOADS>(from);
    }

    /// Loads the vectors of a tile at the edge of the matrix. Rows outside the matrix are 0, and a
    /// vector that is partly outside is loaded element by element.
    static __device__ void load_edge(const Task& task, const TileOrigin& origin, const char* corner,
                                     Vector<16> (&value)[ROUNDS]) {
        const int x = threadIdx.x % 16;
        const char* const in = in_address<SIZE>(task, origin);
        const bool is_dense = task.in_pitch == task.cols;
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int line = first_row() + k * ROW_STEP;
            const std::int64_t row = origin.row - LEAD + line;
            value[k] = {};
            if (row < 0 || row >= task.rows) continue;
            const char* const start = corner + line * task.in_pitch * SIZE;
            const char* const from = start - misalignment(start) + x * 16;
            const char* const begin = is_dense ? in : in + row * task.in_pitch * SIZE;
            const char* const end = begin + (is_dense ? task.rows : 1) * task.cols * SIZE;
            if (from >= begin && from + 16 <= end) {
                value[k] = load_evict_last<LOADS>(from);
                continue;
            }
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
                const char* const address = from + i * SIZE;
                if (address < begin || address >= end) continue;
                value[k].word[i / ELEMENTS_PER_WORD] |=
                    static_cast<unsigned>(element<SIZE>(address, 0))
                    << (i % ELEMENTS_PER_WORD * SIZE * 8);
            }
        }
    }

    /// Returns the position of a word in shared memory. A thread stores words 0 to 3, the next
    /// thread words 4 to 7. Words 0, 4, 8 ..., which a warp stores at the same time, are adjacent.
    static __device__ int word_position(int row, int word) {
        const int quad = row / VECTOR_ELEMENTS, number = word % 4 * 16 + word / 4;
        return row * 256 + (number ^ swizzle_quad(quad) ^ (word >> 1 & 1) << 1) * 4;
    }
    static __device__ constexpr int swizzle_quad(int quad) {
        return (quad & 1) << 4 | (quad >> 1 & 3) << 2;
    }

    /// Stores the words of a row, rotated so that the row's first element comes first. The bytes
    /// before this element move to the end of the row, where they are not used.
    static __device__ void store_words_from_row_start(const Task& task, const char* corner,
                                                      const Vector<16> (&value)[ROUNDS],
                                                      char* shared) {
        const int x = threadIdx.x % 16;
        const unsigned offset = misalignment(corner + first_row() * task.in_pitch * SIZE);
        int to[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            to[j] = word_position(first_row(), (4 * x + j - static_cast<int>(offset / 4)) & 63);
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const unsigned(&word)[4] = value[k].word;
            const unsigned next_word = __shfl_down_sync(~0u, word[0], 1);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const unsigned high = j < 3 ? word[j < 3 ? j + 1 : 0] : next_word;
                const int word_offset = (to[j] ^ swizzle_quad(k * ROW_STEP / VECTOR_ELEMENTS) * 4) +
                                        k * (ROW_STEP * 256);
                *reinterpret_cast<unsigned*>(shared + word_offset) =
                    __funnelshift_r(word[j], high, offset * 8);
            }
        }
    }

    /// Returns the position of a word in the transposed tile. A column has 4 * ROW_VECTORS words.
    static __device__ int transposed_word_position(int col, int quad, int word) {
        const int number = word * ROW_VECTORS + quad;
        const int x = col / ELEMENTS_PER_WORD;
        return (col * ROW_VECTORS * 4 + (number ^ ((x & 1) | (x & 6) << 2))) * 4;
    }

    /// The words that a thread transposes: word `x` of each row in group `quad`.
    struct Unit {
        int x, quad;

        explicit __device__ Unit(int number) {
            const int group = threadIdx.x / 32 + number * WARPS, lane = threadIdx.x % 32;
            x = group % 8 * 8 + lane % 8;
            quad = group / 16 * 8 + lane / 8 * 2 + group / 8 % 2;
        }
    };

    /// Transposes the words in shared memory. Each thread loads all of its words before it stores
    /// the first result, because the results overwrite the words.
    static __device__ void transpose_words(char* shared) {
        unsigned word[UNITS_PER_THREAD][VECTOR_ELEMENTS];
#pragma unroll
        for (int k = 0; k < UNITS_PER_THREAD; ++k) {
            const Unit unit(k);
            const char* const from = shared + word_position(unit.quad * VECTOR_ELEMENTS, unit.x);
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
                word[k][i] = *reinterpret_cast<const unsigned*>(from + i * 256);
            }
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < UNITS_PER_THREAD; ++k) {
            const Unit unit(k);
            Vector<16> column[ELEMENTS_PER_WORD];
            transpose_column(column, word[k]);
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                char* const to =
                    shared + transposed_word_position(unit.x * ELEMENTS_PER_WORD, unit.quad, w);
#pragma unroll
                for (int j = 0; j < ELEMENTS_PER_WORD; ++j) {
                    *reinterpret_cast<unsigned*>(to + j * (ROW_VECTORS * 16)) = column[j].word[w];
                }
            }
        }
    }

    /// Transposes VECTOR_ELEMENTS words from consecutive rows. Each column of elements in these
    /// words becomes a vector.
    static __device__ void transpose_column(Vector<16> (&column)[ELEMENTS_PER_WORD],
                                            const unsigned (&word)[VECTOR_ELEMENTS]) {
#pragma unroll
        for (int g = 0; g < 4; ++g) {
            Vector<4> piece[ELEMENTS_PER_WORD], column_vector[ELEMENTS_PER_WORD];
#pragma unroll
            for (int i = 0; i < ELEMENTS_PER_WORD; ++i)
                piece[i].word[0] = word[g * ELEMENTS_PER_WORD + i];
            transpose_vectors<SIZE>(column_vector, piece);
#pragma unroll
            for (int i = 0; i < ELEMENTS_PER_WORD; ++i)
                column[i].word[g] = column_vector[i].word[0];
        }
    }

    /// Returns the first column of a thread. The columns of a warp are so far apart that they are
    /// in different banks.
    static __device__ int first_col() {
        constexpr int BANK_COL_STEP = ROW_VECTORS / 4 * ELEMENTS_PER_WORD,
                      COLS_PER_WARP = 32 / ROW_VECTORS;
        const int warp = threadIdx.x / 32, col_in_warp = threadIdx.x % 32 / ROW_VECTORS;
        return warp / BANK_COL_STEP * (BANK_COL_STEP * COLS_PER_WARP) + warp % BANK_COL_STEP +
               col_in_warp * BANK_COL_STEP;
    }

    static __device__ void store(const Task& task, const TileOrigin& origin, const char* shared) {
        const int quad = threadIdx.x % ROW_VECTORS, first = first_col();
        if (quad >= ROW_VECTORS - SHIFT / 16) return;
        const std::int64_t step = COL_STEP * task.out_pitch * SIZE;
        const std::int64_t cols_left = task.cols - origin.col;
        const int cols = cols_left < TILE_COLS ? static_cast<int>(cols_left) : TILE_COLS;
        const std::int64_t start = (origin.col + first) * task.out_pitch + origin.row;
        char* to = out_address<SIZE>(task, origin) + start * SIZE;
        const unsigned bytes_before = reinterpret_cast<std::uintptr_t>(to) % SHIFT;
        const std::int64_t row = origin.row + quad * VECTOR_ELEMENTS - bytes_before / SIZE;
        const bool is_inner = row >= 0 && row + VECTOR_ELEMENTS <= task.rows;
        to += quad * 16 - static_cast<int>(bytes_before);

        // The addresses of the five words to splice. The last one may be unused.
        const char* from[5];
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            const bool is_unused = i == 4 && bytes_before % 4 == 0;
            const int word = (SHIFT - bytes_before) / 4 + (is_unused ? 3 : i);
            from[i] = shared + transposed_word_position(first, quad + word / 4, word % 4);
        }
#pragma unroll
        for (int k = 0; k < (TILE_COLS + COL_STEP - 1) / COL_STEP; ++k, to += step) {
            if (first + k * COL_STEP >= cols) return;
            unsigned word[5];
            Vector<16> vector;
#pragma unroll
            for (int i = 0; i < 5; ++i) {
                word[i] =
                    *reinterpret_cast<const unsigned*>(from[i] + k * (COL_STEP * ROW_VECTORS * 16));
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                vector.word[i] = __funnelshift_r(word[i], word[i + 1], (16 - bytes_before) * 8);
            }
            if (is_inner) {
                store_vector(to, vector);
            } else {
                store_elements(to, vector, row, task.rows);
            }
        }
    }

    /// Stores only those elements of the vector that belong to rows of the matrix.
    static __device__ void store_elements(char* to, const Vector<16>& vector, std::int64_t row,
                                          std::int64_t rows) {
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
            if (row + i < 0 || row + i >= rows) continue;
            const unsigned word =
                vector.word[i / ELEMENTS_PER_WORD] >> (i % ELEMENTS_PER_WORD * SIZE * 8);
            element<SIZE>(to, i) = static_cast<Element<SIZE>>(word);
        }
    }
};

}  // namespace coalesce::transposing
