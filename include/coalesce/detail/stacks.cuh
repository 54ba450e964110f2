/// \file
/// Kernels for batches of small matrices without gaps between them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "strips.cuh"
#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// A kernel in which each block transposes a few small matrices. The block loads the matrices into
/// shared memory as one contiguous range, and stores their elements in the order of `out`. A thread
/// stores ELEMENTS_PER_ACCESS adjacent elements at once.
template <int SIZE, int THREADS_, int PAD, LoadPolicy LOADS = LoadPolicy::plain,
          int LOADS_IN_FLIGHT = 4, int ELEMENTS_PER_ACCESS = (SIZE == 2 ? 2 : 1)>
struct MatrixStackKernel {
    static constexpr int THREADS = THREADS_;
    using Line = SharedLine<PAD>;

    static __device__ void run(const TransposeTask& task, char* shared) {
        const auto matrix_elements = static_cast<int>(task.rows * task.cols);
        const std::int64_t first_matrix = std::int64_t{blockIdx.x} * task.matrices_per_block;
        const std::int64_t matrices_left = task.batches - first_matrix;
        const int element_count =
            matrix_elements * static_cast<int>(matrices_left < task.matrices_per_block
                                                   ? matrices_left
                                                   : task.matrices_per_block);
        const char* source =
            static_cast<const char*>(task.in) + first_matrix * matrix_elements * SIZE;
        char* target = static_cast<char*>(task.out) + first_matrix * matrix_elements * SIZE;
        const Line line(shared, source);
        copy_line<SIZE, THREADS, LOADS_IN_FLIGHT>(line, DeviceLine<const char, LOADS>{source},
                                                  element_count);
        const InPositionMap position_map(static_cast<int>(task.rows), static_cast<int>(task.cols));
        __syncthreads();
        store(target, line, position_map, element_count);
    }

    /// A map from elements of `out` to their positions in `in`, relative to the first element of
    /// the block.
    struct InPositionMap {
        int rows, cols;
        Divider matrix_divider, row_divider;

        __device__ InPositionMap(int matrix_rows, int matrix_cols)
            : rows(matrix_rows),
              cols(matrix_cols),
              matrix_divider(rows * cols),
              row_divider(rows) {}

        /// Finds the positions in `in` of element `out_index` of `out` and of the elements after
        /// it. In `in`, the next element is usually one row below.
        template <int COUNT>
        __device__ void find_in_positions(int out_index, int (&in_position)[COUNT]) const {
            const int matrix = matrix_divider.quotient(out_index),
                      element_in_matrix = out_index - matrix * rows * cols;
            int col = row_divider.quotient(element_in_matrix), row = element_in_matrix - col * rows;
            in_position[0] = matrix * rows * cols + row * cols + col;
#pragma unroll
            for (int k = 1; k < COUNT; ++k) {
                in_position[k] = in_position[k - 1] + cols;
                if (++row < rows) continue;
                // After the last element of a column comes the first element of the next column or
                // of the next matrix.
                const bool is_last_col = col + 1 == cols;
                in_position[k] = in_position[k - 1] + (is_last_col ? 1 : 1 - (rows - 1) * cols);
                col = is_last_col ? 0 : col + 1;
                row = 0;
            }
        }
    };

    static __device__ void store(char* target, const Line& line, const InPositionMap& position_map,
                                 int element_count) {
        const int misaligned_elements =
            static_cast<int>(reinterpret_cast<std::uintptr_t>(target) % 128) / SIZE;
#ifndef __clang__  // clang cannot unroll this loop and would print a warning
#    pragma unroll 4
#endif
        for (int i = static_cast<int>(threadIdx.x) * ELEMENTS_PER_ACCESS - misaligned_elements;
             i < element_count; i += THREADS * ELEMENTS_PER_ACCESS) {
            const int end = i + ELEMENTS_PER_ACCESS;
            if (end <= 0) continue;
            const int first_element = i < 0 ? 0 : i;
            int in_position[ELEMENTS_PER_ACCESS];
            position_map.find_in_positions(first_element, in_position);
            if (i >= 0 && end <= element_count) {
                store_elements(target + i * SIZE, line, in_position);
                continue;
            }
            const int last_element = end < element_count ? end : element_count;
#pragma unroll
            for (int k = 0; k < ELEMENTS_PER_ACCESS; ++k) {
                if (first_element + k >= last_element) break;
                element<SIZE>(target, first_element + k) =
                    element<SIZE>(line.byte_address(in_position[k] * SIZE), 0);
            }
        }
    }

    /// Stores the elements at these positions of `line` to adjacent addresses.
    static __device__ void store_elements(char* target, const Line& line,
                                          const int (&in_position)[ELEMENTS_PER_ACCESS]) {
        Element<SIZE> value[ELEMENTS_PER_ACCESS];
#pragma unroll
        for (int k = 0; k < ELEMENTS_PER_ACCESS; ++k)
            value[k] = element<SIZE>(line.byte_address(in_position[k] * SIZE), 0);
        if constexpr (ELEMENTS_PER_ACCESS == 1) {
            element<SIZE>(target, 0) = value[0];
        } else if constexpr (SIZE == 2) {
            static_assert(ELEMENTS_PER_ACCESS == 2, "two elements fill a word");
            element<4>(target, 0) = __byte_perm(value[0], value[1], 0x5410);
        } else {
            static_assert(SIZE == 4 && ELEMENTS_PER_ACCESS == 4, "four elements fill a vector");
            store_vector(target, Vector<16>{{value[0], value[1], value[2], value[3]}});
        }
    }
};

/// A kernel for elements smaller than a word, in matrices whose sides consist of whole words. Each
/// lane transposes 4 x 4 bytes or 2 x 2 half words in registers before it stores them to shared
/// memory.
template <int SIZE, int THREADS_, int LANES_ACROSS>
struct WordStackKernel {
    static constexpr int THREADS = THREADS_, WARPS = THREADS / 32, LOADS_IN_FLIGHT = 4;
    static constexpr int ELEMENTS_PER_WORD = 4 / SIZE;  ///< elements per word, and rows per lane
    static constexpr int COLS = 4, WORDS_PER_ROW = COLS / ELEMENTS_PER_WORD,
                         LANES_DOWN = 32 / LANES_ACROSS;
    using Line = SharedLine<0>;
    using RowPiece = Vector<4 * WORDS_PER_ROW>;

    static __device__ void run(const TransposeTask& task, char* shared) {
        const auto rows = static_cast<int>(task.rows), cols = static_cast<int>(task.cols);
        const std::int64_t first_matrix = std::int64_t{blockIdx.x} * task.matrices_per_block;
        const std::int64_t matrices_left = task.batches - first_matrix;
        const int matrix_count = static_cast<int>(
            matrices_left < task.matrices_per_block ? matrices_left : task.matrices_per_block);
        const char* source = static_cast<const char*>(task.in) + first_matrix * rows * cols * SIZE;
        char* target = static_cast<char*>(task.out) + first_matrix * rows * cols * SIZE;
        const Line line(shared, target);
        load(line, source, rows, cols, matrix_count);
        __syncthreads();
        copy_line<SIZE, THREADS, 4>(DeviceLine<char>{target}, line, matrix_count * rows * cols);
    }

    /// Loads the matrices. They follow each other without gaps, so all of their rows are treated as
    /// rows of one matrix.
    static __device__ void load(const Line& line, const char* source, int rows, int cols,
                                int matrix_count) {
        const int pieces_per_row = cols / COLS, rows_of_words = rows / ELEMENTS_PER_WORD,
                  total_rows_of_words = matrix_count * rows_of_words;
        const int groups_per_row = (pieces_per_row + LANES_ACROSS - 1) / LANES_ACROSS;
        const int item_count = (total_rows_of_words + LANES_DOWN - 1) / LANES_DOWN * groups_per_row;
        const Divider group_divider(groups_per_row), word_row_divider(rows_of_words);
        const int lane = threadIdx.x % 32;
        for (int warp_item = threadIdx.x / 32; warp_item < item_count;
             warp_item += WARPS * LOADS_IN_FLIGHT) {
            RowPiece row_piece[LOADS_IN_FLIGHT][ELEMENTS_PER_WORD];
            int line_offset[LOADS_IN_FLIGHT];
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
                const int item_index = warp_item + k * WARPS,
                          row_group = group_divider.quotient(item_index);
                const int x =
                    (item_index - row_group * groups_per_row) * LANES_ACROSS + lane % LANES_ACROSS;
                const int y = row_group * LANES_DOWN + lane / LANES_ACROSS,
                          matrix_index = word_row_divider.quotient(y);
                line_offset[k] = -1;
                if (x >= pieces_per_row || y >= total_rows_of_words) continue;
                line_offset[k] =
                    matrix_index * rows * (cols - 1) + x * COLS * rows + y * ELEMENTS_PER_WORD;
#pragma unroll
                for (int i = 0; i < ELEMENTS_PER_WORD; ++i) {
                    row_piece[k][i] =
                        load_piece(source + ((y * ELEMENTS_PER_WORD + i) * cols + x * COLS) * SIZE);
                }
            }
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
                if (line_offset[k] >= 0)
                    store_transposed_words(line, line_offset[k], rows, row_piece[k]);
            }
        }
    }
    static __device__ RowPiece load_piece(const char* source) {
        if constexpr (WORDS_PER_ROW == 1) {
            return {{element<4>(source, 0)}};
        } else {
            return load_vector<4 * WORDS_PER_ROW>(source);
        }
    }

    static __device__ void store_transposed_words(const Line& line, int line_offset, int rows,
                                                  const RowPiece (&row_piece)[ELEMENTS_PER_WORD]) {
#pragma unroll
        for (int w = 0; w < WORDS_PER_ROW; ++w) {
            Vector<4> word[ELEMENTS_PER_WORD], column_vector[ELEMENTS_PER_WORD];
#pragma unroll
            for (int i = 0; i < ELEMENTS_PER_WORD; ++i) word[i].word[0] = row_piece[i].word[w];
            transpose_vectors<SIZE>(column_vector, word);
#pragma unroll
            for (int i = 0; i < ELEMENTS_PER_WORD; ++i) {
                element<4>(
                    line.byte_address((line_offset + (w * ELEMENTS_PER_WORD + i) * rows) * SIZE),
                    0) = column_vector[i].word[0];
            }
        }
    }
};

}  // namespace coalesce::transposing
