/// \file
/// Kernels for matrices with few columns or few rows. A block takes a strip that spans the whole
/// width or the whole height of the matrix.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "anywhere.cuh"
#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// A divisor for numbers below 2^16. It divides by multiplying, which is faster.
struct Divider {
    unsigned reciprocal_multiplier;
    bool is_divisor_one;

    explicit __device__ Divider(int divisor) {
        reciprocal_multiplier = 0xFFFFFFFFu / static_cast<unsigned>(divisor) + 1;
        is_divisor_one = divisor == 1;
    }
    __device__ int quotient(int number) const {
        return is_divisor_one ? number
                              : static_cast<int>(
                                    __umulhi(static_cast<unsigned>(number), reciprocal_multiplier));
    }
};

/// A line of elements in shared memory. Its offset from a multiple of 16 bytes is the same as in
/// device memory. PAD unused bytes follow every 128 bytes, so that the elements of a column are
/// spread over more banks.
template <int PAD>
struct SharedLine {
    char* shared;
    int start_offset;

    __device__ SharedLine(char* memory, const char* line)
        : shared(memory), start_offset(reinterpret_cast<std::uintptr_t>(line) % 16) {}
    __device__ char* byte_address(int byte) const {
        const auto offset = static_cast<unsigned>(start_offset + byte);
        return shared + offset + offset / 128 * PAD;
    }
    __device__ Vector<16> load(int byte) const {
        if constexpr (PAD == 0 || PAD == 16) {
            return load_vector<16>(byte_address(byte));
        } else {
            Vector<16> vector;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                vector.word[i] = *reinterpret_cast<const unsigned*>(byte_address(byte) + i * 4);
            }
            return vector;
        }
    }
    __device__ void store(int byte, const Vector<16>& vector) const {
        if constexpr (PAD == 0 || PAD == 16) {
            store_vector(byte_address(byte), vector);
        } else {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                *reinterpret_cast<unsigned*>(byte_address(byte) + i * 4) = vector.word[i];
            }
        }
    }
    /// Returns the number of bytes of shared memory that a line of `bytes` bytes needs.
    static std::int64_t line_shared_bytes(std::int64_t bytes) {
        return bytes + 32 + (bytes + 16) / 128 * PAD;
    }
};

/// A line in device memory, whose vectors are loaded with the hint LOADS.
template <class Byte, LoadPolicy LOADS = LoadPolicy::plain>
struct DeviceLine {
    Byte* start;

    __device__ Byte* byte_address(int byte) const { return start + byte; }
    __device__ Vector<16> load(int byte) const {
        return load_with_policy<LOADS>(byte_address(byte));
    }
    __device__ void store(int byte, const Vector<16>& vector) const {
        store_vector(byte_address(byte), vector);
    }
};

/// Copies elements between two lines with the same alignment, modulo 16 bytes. Copies single
/// elements at both ends, and vectors in between. All threads of the block must call this function.
template <int SIZE, int THREADS, int LOADS_IN_FLIGHT, class To, class From>
__device__ inline void copy_line(const To& target, const From& source, int element_count) {
    constexpr int VECTOR_ELEMENTS = 16 / SIZE;
    const int misaligned_elements =
        static_cast<int>(reinterpret_cast<std::uintptr_t>(source.byte_address(0)) % 16 / SIZE);
    const int elements_to_boundary = (VECTOR_ELEMENTS - misaligned_elements) % VECTOR_ELEMENTS;
    const int head_elements =
        elements_to_boundary < element_count ? elements_to_boundary : element_count;
    const int vector_count = (element_count - head_elements) / VECTOR_ELEMENTS;
    const int tail_elements = element_count - head_elements - vector_count * VECTOR_ELEMENTS;
    const int thread = threadIdx.x,
              tail_byte_offset = (element_count - tail_elements + thread) * SIZE;
    if (thread < head_elements) {
        element<SIZE>(target.byte_address(thread * SIZE), 0) =
            element<SIZE>(source.byte_address(thread * SIZE), 0);
    }
    if (thread < tail_elements)
        element<SIZE>(target.byte_address(tail_byte_offset), 0) =
            element<SIZE>(source.byte_address(tail_byte_offset), 0);
    for (int i = thread; i < vector_count; i += THREADS * LOADS_IN_FLIGHT) {
        const int first = head_elements * SIZE + i * 16;
        Vector<16> vector[LOADS_IN_FLIGHT];
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
            if (i + k * THREADS < vector_count) vector[k] = source.load(first + k * THREADS * 16);
        }
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
            if (i + k * THREADS < vector_count) target.store(first + k * THREADS * 16, vector[k]);
        }
    }
}

/// A kernel for matrices with few columns and no gaps between the rows of `in`. A strip of rows is
/// contiguous, so it is copied into shared memory as one line. Each warp then collects the elements
/// of one column.
template <int SIZE, int THREADS_, int LOADS_IN_FLIGHT, int PAD = 0,
          LoadPolicy LOADS = LoadPolicy::plain, StorePolicy STORES = StorePolicy::plain>
struct TallStripKernel {
    /// The number of rows that a thread stores at a time.
    static constexpr int ELEMENTS_PER_ACCESS = SIZE < 4 ? 4 / SIZE : 1;
    /// The number of rows that a warp stores at a time.
    static constexpr int ROWS_PER_WARP = 32 * ELEMENTS_PER_ACCESS;
    static constexpr int ALIGNMENT_ELEMENTS = 32 / SIZE, EXTRA_ROWS = ALIGNMENT_ELEMENTS - 1;
    static constexpr int THREADS = THREADS_;
    using Strip = SharedLine<PAD>;

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, task.tile_rows, 0);
        const std::int64_t top_row = origin.row < EXTRA_ROWS ? 0 : origin.row - EXTRA_ROWS;
        const std::int64_t end_row = origin.row + task.tile_rows;
        const int rows = static_cast<int>((end_row < task.rows ? end_row : task.rows) - top_row);
        const char* source = in_matrix_address<SIZE>(task, origin) + top_row * task.cols * SIZE;
        const Strip strip(shared, source);
        if (rows > 0) {
            copy_line<SIZE, THREADS, LOADS_IN_FLIGHT>(strip, DeviceLine<const char, LOADS>{source},
                                                      rows * static_cast<int>(task.cols));
        }
        __syncthreads();
        store(task, origin, strip, static_cast<int>(origin.row - top_row));
    }

    /// Stores the strip. Each warp stores a group of rows, one column after the other.
    static __device__ void store(const TransposeTask& task, const TileOrigin& origin,
                                 const Strip& strip, int extra_rows) {
        constexpr int WARPS = THREADS / 32;
        static_assert((WARPS & (WARPS - 1)) == 0, "a warp keeps its group");
        const int row_groups = task.tile_rows / ROWS_PER_WARP,
                  row_groups_at_once = row_groups < WARPS ? row_groups : WARPS;
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        const bool is_inner = origin.row >= EXTRA_ROWS && origin.row + task.tile_rows <= task.rows;
        for (int row_group = warp & (row_groups_at_once - 1); row_group < row_groups;
             row_group += row_groups_at_once) {
            const int y = (row_group * 32 + lane) * ELEMENTS_PER_ACCESS;
            const ThreadColumns columns{warp / row_groups_at_once, WARPS / row_groups_at_once,
                                        origin.row + y, extra_rows + y};
            if (is_inner) {
                store_columns<true>(task, origin, strip, columns);
            } else {
                store_columns<false>(task, origin, strip, columns);
            }
        }
    }

    /// The part of the strip that a thread stores: every `col_step`-th column, and
    /// ELEMENTS_PER_ACCESS rows of each such column.
    struct ThreadColumns {
        int first_col, col_step;
        std::int64_t row;  ///< the thread's first row in a column that starts at a sector boundary
        int y;             ///< the same row, counted within the strip
    };

    template <bool IS_INNER>
    static __device__ void store_columns(const TransposeTask& task, const TileOrigin& origin,
                                         const Strip& strip, const ThreadColumns& columns) {
        const int cols = static_cast<int>(task.cols), row_bytes = cols * SIZE;
        const std::int64_t step_bytes = columns.col_step * task.out_pitch * SIZE;
        char* line = out_matrix_address<SIZE>(task, origin);
        line += (columns.first_col * task.out_pitch + columns.row) * SIZE;
        int strip_offset = columns.y * row_bytes + columns.first_col * SIZE;
        // The address of the column's first element, modulo 32.
        auto column_address = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(line)) -
                              static_cast<unsigned>(threadIdx.x % 32 * ELEMENTS_PER_ACCESS * SIZE);
#ifndef __clang__  // clang cannot unroll this loop and would print a warning
#    pragma unroll 4
#endif
        for (int col = columns.first_col; col < cols; col += columns.col_step) {
            const int misaligned_elements = static_cast<int>(column_address % 32 / SIZE);
            store_rows<IS_INNER>(line - misaligned_elements * SIZE, strip,
                                 strip_offset - misaligned_elements * row_bytes, row_bytes,
                                 columns.row - misaligned_elements, task.rows);
            strip_offset += columns.col_step * SIZE;
            line += step_bytes;
            column_address += static_cast<unsigned>(step_bytes);
        }
    }

    template <bool IS_INNER>
    static __device__ void store_rows(char* target, const Strip& strip, int strip_offset,
                                      int row_bytes, std::int64_t row, std::int64_t rows) {
        if (IS_INNER || (row >= 0 && row + ELEMENTS_PER_ACCESS <= rows)) {
            if constexpr (ELEMENTS_PER_ACCESS == 1) {
                element<SIZE>(target, 0) = element<SIZE>(strip.byte_address(strip_offset), 0);
            } else {
                store_word<STORES>(target, gather_word(strip, strip_offset, row_bytes));
            }
        } else {
#pragma unroll
            for (int i = 0; i < ELEMENTS_PER_ACCESS; ++i) {
                if (row + i < 0 || row + i >= rows) continue;
                element<SIZE>(target, i) =
                    element<SIZE>(strip.byte_address(strip_offset + i * row_bytes), 0);
            }
        }
    }

    /// Returns a word that contains vertically adjacent elements of the strip.
    static __device__ unsigned gather_word(const Strip& strip, int strip_offset, int row_bytes) {
        const auto row_element = [&](int i) -> unsigned {
            return element<SIZE>(strip.byte_address(strip_offset + i * row_bytes), 0);
        };
        if constexpr (SIZE == 1) {
            const unsigned low = __byte_perm(row_element(0), row_element(1), 0x40);
            return __byte_perm(low, __byte_perm(row_element(2), row_element(3), 0x40), 0x5410);
        } else {
            return __byte_perm(row_element(0), row_element(1), 0x5410);
        }
    }
};

/// The counterpart of TallStripKernel: a kernel for matrices with few rows and no gaps between rows
/// of `out`. A strip of columns becomes one line of memory, in which each thread collects the
/// elements of one column. Elements smaller than a word are loaded as words.
template <int SIZE, int THREADS_, int LOADS_IN_FLIGHT, bool HAS_MANY_COLS = false, int PAD = 0,
          bool TRANSPOSES_WORDS = false, LoadPolicy LOADS = LoadPolicy::plain>
struct WideStripKernel {
    /// The number of elements that a lane loads at a time.
    static constexpr int ELEMENTS_PER_ACCESS = SIZE < 4 ? 4 / SIZE : 1;
    /// The number of elements that a warp loads from a row at a time.
    static constexpr int COLS_PER_CHUNK = 31 * ELEMENTS_PER_ACCESS;
    static constexpr int CHUNKS_PER_WARP = 4;
    static constexpr int THREADS = THREADS_;
    using Line = SharedLine<PAD>;

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, 0, task.tile_cols);
        const std::int64_t cols_left = task.cols - origin.col;
        const int cols = static_cast<int>(cols_left < task.tile_cols ? cols_left : task.tile_cols);
        char* target = out_matrix_address<SIZE>(task, origin) + origin.col * task.rows * SIZE;
        const Line strip_line(shared, target);
        if constexpr (SIZE < 4) {
            // Whole words may be loaded if the matrix has further columns on both sides of the
            // strip.
            const bool is_inner = origin.col >= ELEMENTS_PER_ACCESS &&
                                  origin.col + cols + 2 * ELEMENTS_PER_ACCESS <= task.cols;
            if (is_inner && cols == task.tile_cols) {
                load_small_elements<true>(task, origin, strip_line, cols);
            } else {
                load_small_elements<false>(task, origin, strip_line, cols);
            }
        } else if constexpr (HAS_MANY_COLS) {
            load_many_cols(task, origin, strip_line, cols);
        } else {
            load(task, origin, strip_line, cols);
        }
        __syncthreads();
        copy_line<SIZE, THREADS, 4>(DeviceLine<char>{target}, strip_line,
                                    cols * static_cast<int>(task.rows));
    }

    /// Loads a strip that has at most THREADS columns, several rows at a time.
    static __device__ void load(const TransposeTask& task, const TileOrigin& origin,
                                const Line& strip_line, int cols) {
        const int rows = static_cast<int>(task.rows);
        const int x = threadIdx.x % task.tile_cols, y = threadIdx.x / task.tile_cols;
        const int step = THREADS / task.tile_cols;
        if (x >= cols || y >= step) return;
        const char* source =
            in_matrix_address<SIZE>(task, origin) + (y * task.in_pitch + origin.col + x) * SIZE;
        const int column_offset = x * rows * SIZE;
        for (int row = y; row < rows; row += step * LOADS_IN_FLIGHT) {
            Element<SIZE> value[LOADS_IN_FLIGHT];
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k, source += step * task.in_pitch * SIZE) {
                if (row + k * step < rows) value[k] = load_element<LOADS, SIZE>(source);
            }
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
                if (row + k * step >= rows) continue;
                element<SIZE>(strip_line.byte_address(column_offset + (row + k * step) * SIZE), 0) =
                    value[k];
            }
        }
    }

    /// The position of the element that a thread loads next. A thread loads all rows of a column.
    /// It then continues with the column that is THREADS columns to the right.
    struct CellCursor {
        int col, row;

        __device__ void advance(int rows) {
            if (++row < rows) return;
            row = 0;
            col += THREADS;
        }
    };
    static __device__ void load_many_cols(const TransposeTask& task, const TileOrigin& origin,
                                          const Line& strip_line, int cols) {
        const int rows = static_cast<int>(task.rows);
        const char* strip = in_matrix_address<SIZE>(task, origin) + origin.col * SIZE;
        for (CellCursor cursor{static_cast<int>(threadIdx.x), 0}; cursor.col < cols;) {
            Element<SIZE> value[LOADS_IN_FLIGHT];
            CellCursor load_cursor = cursor;
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k, load_cursor.advance(rows)) {
                if (load_cursor.col >= cols) continue;
                value[k] = element<SIZE>(strip, load_cursor.row * task.in_pitch + load_cursor.col);
            }
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k, cursor.advance(rows)) {
                if (cursor.col >= cols) continue;
                element<SIZE>(strip_line.byte_address((cursor.col * rows + cursor.row) * SIZE), 0) =
                    value[k];
            }
        }
    }

    template <bool IS_INNER>
    static __device__ void load_small_elements(const TransposeTask& task, const TileOrigin& origin,
                                               const Line& strip_line, int cols) {
        if constexpr (TRANSPOSES_WORDS) {
            load_and_transpose<IS_INNER>(task, origin, strip_line, cols);
        } else {
            load_words<IS_INNER>(task, origin, strip_line, cols);
        }
    }

    /// Loads elements smaller than a word. A warp loads CHUNKS_PER_WARP chunks of a row, as words.
    /// A row may start anywhere in a word, so each word is spliced from two loaded words.
    template <bool IS_INNER>
    static __device__ void load_words(const TransposeTask& task, const TileOrigin& origin,
                                      const Line& strip_line, int cols) {
        constexpr int WARPS = THREADS / 32;
        const int rows = static_cast<int>(task.rows), lane = threadIdx.x % 32;
        const int item_count = (cols + CHUNKS_PER_WARP * COLS_PER_CHUNK - 1) /
                               (CHUNKS_PER_WARP * COLS_PER_CHUNK) * rows;
        const Divider row_divider(rows);
        const char* strip = in_matrix_address<SIZE>(task, origin) + origin.col * SIZE;
        for (int warp_item = threadIdx.x / 32; warp_item < item_count;
             warp_item += WARPS * LOADS_IN_FLIGHT) {
            unsigned word[LOADS_IN_FLIGHT][CHUNKS_PER_WARP], offset[LOADS_IN_FLIGHT];
            int line_position[LOADS_IN_FLIGHT], cols_left[LOADS_IN_FLIGHT];
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
                const int group = row_divider.quotient(warp_item + k * WARPS);
                const int row = warp_item + k * WARPS - group * rows,
                          col = group * (CHUNKS_PER_WARP * COLS_PER_CHUNK);
                const char* const line = strip + (row * task.in_pitch + col) * SIZE;
                offset[k] = reinterpret_cast<std::uintptr_t>(line) % 4;
                const int first = lane * 4 - static_cast<int>(offset[k]);
                line_position[k] = (col + lane * ELEMENTS_PER_ACCESS) * rows + row;
                cols_left[k] = warp_item + k * WARPS < item_count ? cols - col : 0;
#pragma unroll
                for (int c = 0; c < CHUNKS_PER_WARP; ++c) {
                    if (c * COLS_PER_CHUNK >= cols_left[k]) continue;
                    const char* const chunk = line + c * COLS_PER_CHUNK * SIZE;
                    word[k][c] =
                        IS_INNER ? load_element<LOADS, 4>(chunk + first)
                                 : load_row_word(chunk, first,
                                                 origin.col + col + c * COLS_PER_CHUNK, task.cols);
                }
            }
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
#pragma unroll
                for (int c = 0; c < CHUNKS_PER_WARP; ++c) {
                    if (c * COLS_PER_CHUNK >= cols_left[k]) continue;
                    const unsigned next_word = __shfl_down_sync(~0u, word[k][c], 1);
                    const unsigned bytes = __funnelshift_r(word[k][c], next_word, offset[k] * 8);
                    if (lane == 31) continue;
#pragma unroll
                    for (int i = 0; i < ELEMENTS_PER_ACCESS; ++i) {
                        const int col = c * COLS_PER_CHUNK + i;
                        if (!IS_INNER && col + lane * ELEMENTS_PER_ACCESS >= cols_left[k]) break;
                        element<SIZE>(
                            strip_line.byte_address((line_position[k] + col * rows) * SIZE), 0) =
                            static_cast<Element<SIZE>>(bytes >> (8 * SIZE * i));
                    }
                }
            }
        }
    }

    /// Constants of load_and_transpose(). A warp loads TRANSPOSED_CHUNKS chunks of each of
    /// TRANSPOSED_ROWS rows, and transposes 4 x 4 bytes at a time.
    static constexpr int TRANSPOSED_ROWS = 8, TRANSPOSED_CHUNKS = 2,
                         TRANSPOSED_COLS = TRANSPOSED_CHUNKS * COLS_PER_CHUNK;

    template <bool IS_INNER>
    static __device__ void load_and_transpose(const TransposeTask& task, const TileOrigin& origin,
                                              const Line& strip_line, int cols) {
        static_assert(SIZE < 4, "words of several");
        const int rows = static_cast<int>(task.rows), lane = threadIdx.x % 32;
        const int pieces_per_column = (rows + TRANSPOSED_ROWS - 1) / TRANSPOSED_ROWS;
        const int item_count = (cols + TRANSPOSED_COLS - 1) / TRANSPOSED_COLS * pieces_per_column;
        const Divider piece_divider(pieces_per_column);
        for (int warp_item = threadIdx.x / 32; warp_item < item_count; warp_item += THREADS / 32) {
            const int group = piece_divider.quotient(warp_item);
            const int row = (warp_item - group * pieces_per_column) * TRANSPOSED_ROWS,
                      col = group * TRANSPOSED_COLS;
            unsigned word[TRANSPOSED_CHUNKS][TRANSPOSED_ROWS];
            load_piece<IS_INNER>(word, task, origin, row, col, cols);
            if (lane == 31) continue;
#pragma unroll
            for (int c = 0; c < TRANSPOSED_CHUNKS; ++c) {
                const int x = col + c * COLS_PER_CHUNK + lane * ELEMENTS_PER_ACCESS;
#pragma unroll
                for (int y = 0; y < TRANSPOSED_ROWS; y += ELEMENTS_PER_ACCESS) {
                    if (row + y >= rows) continue;
                    Vector<4> row_vector[ELEMENTS_PER_ACCESS], column_vector[ELEMENTS_PER_ACCESS];
#pragma unroll
                    for (int i = 0; i < ELEMENTS_PER_ACCESS; ++i)
                        row_vector[i].word[0] = word[c][y + i];
                    transpose_vectors<SIZE>(column_vector, row_vector);
#pragma unroll
                    for (int i = 0; i < ELEMENTS_PER_ACCESS; ++i) {
                        if (!IS_INNER && x + i >= cols) continue;
                        element<4>(strip_line.byte_address(((x + i) * rows + row + y) * SIZE), 0) =
                            column_vector[i].word[0];
                    }
                }
            }
        }
    }

    /// Loads all words first. Then splices each word from two loaded words.
    template <bool IS_INNER>
    static __device__ void load_piece(unsigned (&word)[TRANSPOSED_CHUNKS][TRANSPOSED_ROWS],
                                      const TransposeTask& task, const TileOrigin& origin, int row,
                                      int col, int cols) {
        const char* const line =
            in_matrix_address<SIZE>(task, origin) + (row * task.in_pitch + origin.col + col) * SIZE;
#pragma unroll
        for (int i = 0; i < TRANSPOSED_ROWS * TRANSPOSED_CHUNKS; ++i) {
            const int y = i / TRANSPOSED_CHUNKS, c = i % TRANSPOSED_CHUNKS;
            const char* const chunk = line + (y * task.in_pitch + c * COLS_PER_CHUNK) * SIZE;
            const int first =
                threadIdx.x % 32 * 4 - count_misaligned_bytes(chunk - c * COLS_PER_CHUNK * SIZE);
            word[c][y] = 0;
            if (row + y >= task.rows || col + c * COLS_PER_CHUNK >= cols) continue;
            word[c][y] = IS_INNER ? load_element<LOADS, 4>(chunk + first)
                                  : load_row_word(chunk, first,
                                                  origin.col + col + c * COLS_PER_CHUNK, task.cols);
        }
#pragma unroll
        for (int i = 0; i < TRANSPOSED_ROWS * TRANSPOSED_CHUNKS; ++i) {
            const int y = i / TRANSPOSED_CHUNKS, c = i % TRANSPOSED_CHUNKS;
            const unsigned next_word = __shfl_down_sync(~0u, word[c][y], 1);
            const int offset = count_misaligned_bytes(line + y * task.in_pitch * SIZE);
            word[c][y] = __funnelshift_r(word[c][y], next_word, offset * 8);
        }
    }
    static __device__ int count_misaligned_bytes(const char* line) {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(line) % 4);
    }

    /// Loads a word. Reads nothing outside the row.
    static __device__ unsigned load_row_word(const char* address, int byte_offset,
                                             std::int64_t first_col, std::int64_t matrix_cols) {
        const std::int64_t row_offset = first_col * SIZE + byte_offset;
        if (row_offset >= 0 && row_offset + 4 <= matrix_cols * SIZE) {
            return *reinterpret_cast<const unsigned*>(address + byte_offset);
        }
        unsigned word = 0;
        for (int i = 0; i < 4; i += SIZE) {
            if (row_offset + i < 0 || row_offset + i >= matrix_cols * SIZE) continue;
            word |= static_cast<unsigned>(element<SIZE>(address + byte_offset + i, 0)) << (8 * i);
        }
        return word;
    }
};

}  // namespace coalesce::transposing
