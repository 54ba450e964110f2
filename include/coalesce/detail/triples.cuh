/// \file
/// Kernels for matrices whose elements consist of three units: 3, 6 or 12 bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "compounds.cuh"
#include "permute_plan.cuh"
#include "vectors.cuh"

namespace coalesce::permuting {

/// The position of a block's tile, and the addresses of the matrix that contains the tile.
template <class Number>
struct TripleTileOrigin {
    Number row, col;  ///< the first row and column of the tile
    const char* in;
    char* out;

    /// Finds the tile of this block. A tile has Kernel::ROWS x `tile_cols` elements.
    template <class Kernel>
    static __device__ TripleTileOrigin find_tile_of_block(const CompoundTask& task, int tile_cols) {
        unsigned tile_number = blockIdx.x;
        const auto tile_count_down = static_cast<unsigned>(task.tiles_down);
        const auto tile_count_across = static_cast<unsigned>(task.tiles_across);
        const Number row = static_cast<Number>(tile_number % tile_count_down) * Kernel::ROWS;
        tile_number /= tile_count_down;
        const Number col = static_cast<Number>(tile_number % tile_count_across) * tile_cols;
        const std::int64_t matrix_offset =
            task.rows * task.cols * Kernel::ELEMENT_BYTES * (tile_number / tile_count_across);
        return {row, col, static_cast<const char*>(task.in) + matrix_offset,
                static_cast<char*>(task.out) + matrix_offset};
    }
};

/// A kernel for elements that consist of three bytes or three half words. Rows and columns must
/// start at word boundaries and consist of whole words. Each thread loads N x N elements and
/// transposes them in registers.
template <int SIZE, int ROWS_ = 32, int COLS_ = SIZE == 1 ? 64 : 32>
struct TripleKernel {
    static_assert(SIZE <= 2, "parts of words");
    /// The number of elements that fill three words.
    static constexpr int N = 4 / SIZE;
    static constexpr int ELEMENT_BYTES = 3 * SIZE;    ///< bytes per element
    static constexpr int ROWS = ROWS_, COLS = COLS_;  ///< the size of a tile
    static constexpr int THREADS_ACROSS = COLS / N, THREADS_DOWN = ROWS / N,
                         WORDS_PER_COLUMN = THREADS_DOWN * 3;
    static constexpr int THREADS =
        THREADS_ACROSS * THREADS_DOWN;  ///< each thread transposes N x N elements
    /// The distance in words between columns of a tile.
    static constexpr int PITCH = WORDS_PER_COLUMN + 1;

    const CompoundTask& task;
    unsigned* tile;  ///< the transposed tile
    std::int64_t row, col;
    const char* in;
    char* out;

    __device__ TripleKernel(const CompoundTask& triple_task, unsigned* shared_memory)
        : task(triple_task), tile(shared_memory) {
        const auto origin =
            TripleTileOrigin<std::int64_t>::find_tile_of_block<TripleKernel>(task, COLS);
        row = origin.row, col = origin.col, in = origin.in, out = origin.out;
    }

    __device__ void load() const {
        const int x = threadIdx.x % THREADS_ACROSS, y = threadIdx.x / THREADS_ACROSS;
        if (row + y * N >= task.rows || col + x * N >= task.cols) return;
        const char* source = in + ((row + y * N) * task.cols + col + x * N) * ELEMENT_BYTES;
        unsigned word[N][3], column_word[N][3];
#pragma unroll
        for (int i = 0; i < N; ++i, source += task.cols * ELEMENT_BYTES) {
#pragma unroll
            for (int w = 0; w < 3; ++w) word[i][w] = reinterpret_cast<const unsigned*>(source)[w];
        }
        transpose_elements(column_word, word);
#pragma unroll
        for (int i = 0; i < N; ++i) {
#pragma unroll
            for (int w = 0; w < 3; ++w) tile[(x * N + i) * PITCH + y * 3 + w] = column_word[i][w];
        }
    }

    /// Transposes the elements in a thread's registers.
    static __device__ void transpose_elements(unsigned (&out)[N][3], const unsigned (&in)[N][3]) {
        if constexpr (SIZE == 2) {
            out[0][0] = in[0][0];
            out[0][1] = __byte_perm(in[0][1], in[1][0], 0x5410);
            out[0][2] = __byte_perm(in[1][0], in[1][1], 0x5432);
            out[1][0] = __byte_perm(in[0][1], in[0][2], 0x5432);
            out[1][1] = __byte_perm(in[0][2], in[1][1], 0x7632);
            out[1][2] = in[1][2];
        } else {
            unsigned element_word[4][4];  // each word has an element in its low three bytes
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                element_word[i][0] = in[i][0];
                element_word[i][1] = __byte_perm(in[i][0], in[i][1], 0x0543);
                element_word[i][2] = __byte_perm(in[i][1], in[i][2], 0x0432);
                element_word[i][3] = in[i][2] >> 8;
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                out[i][0] = __byte_perm(element_word[0][i], element_word[1][i], 0x4210);
                out[i][1] = __byte_perm(element_word[1][i], element_word[2][i], 0x5421);
                out[i][2] = __byte_perm(element_word[2][i], element_word[3][i], 0x6542);
            }
        }
    }

    __device__ void store() const {
        const std::int64_t rows_left = task.rows - row, cols_left = task.cols - col;
        const int cols = cols_left < COLS ? static_cast<int>(cols_left) : COLS;
        const int words = rows_left < ROWS ? static_cast<int>(rows_left) / N * 3 : WORDS_PER_COLUMN;
#pragma unroll 4
        for (int i = threadIdx.x; i < cols * WORDS_PER_COLUMN; i += THREADS) {
            const int x = i / WORDS_PER_COLUMN, word = i % WORDS_PER_COLUMN;
            if (word >= words) continue;
            char* const target = out + ((col + x) * task.rows + row) * ELEMENT_BYTES;
            transposing::element<4>(target, word) = tile[x * PITCH + word];
        }
    }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS) triple_kernel(const CompoundTask task) {
    __shared__ unsigned tile[Kernel::COLS * Kernel::PITCH];
    const Kernel kernel(task, tile);
    kernel.load();
    __syncthreads();
    kernel.store();
}

/// A kernel for elements of three units. Rows and columns must start at multiples of 16 bytes and
/// consist of whole vectors. Each thread loads three vectors from each of four rows, and transposes
/// their elements in registers.
template <int SIZE, int THREADS_DOWN, int MAX_THREADS_ACROSS>
struct TripleVectorKernel {
    static constexpr int N = 16 / SIZE;             ///< columns per thread
    static constexpr int ELEMENT_BYTES = 3 * SIZE;  ///< bytes per element
    static constexpr int ROWS = 4 * THREADS_DOWN, MAX_COLS = N * MAX_THREADS_ACROSS;
    static constexpr int THREADS = THREADS_DOWN * MAX_THREADS_ACROSS;  ///< the maximum per block
    static constexpr int VECTORS_PER_COLUMN =
        ROWS * ELEMENT_BYTES / 16;  ///< vectors per column of a tile
    /// The distance in vectors from a thread's first column to the next thread's first column. It
    /// is one more than a multiple of 8, so that neighbouring threads access different banks.
    static constexpr int GROUP_PITCH_VECTORS = (N * VECTORS_PER_COLUMN + 7) / 8 * 8 + 1;
    static_assert(ROWS * ELEMENT_BYTES % 16 == 0, "columns are whole vectors");

    /// Returns the number of columns of a tile. All tiles in a row have about the same width.
    static int choose_tile_cols(std::int64_t cols) {
        const std::int64_t groups = divide_rounding_up(N, cols);
        const std::int64_t tiles_across = divide_rounding_up(MAX_THREADS_ACROSS, groups);
        return static_cast<int>(divide_rounding_up(tiles_across, groups)) * N;
    }
    static std::int64_t shared_bytes(int tile_cols) {
        return tile_cols / N * GROUP_PITCH_VECTORS * 16;
    }

    char* tile;
    int rows, cols;           ///< the size of the matrix
    int row, col, tile_cols;  ///< the first row and column of the tile, and its number of columns
    const char* in;
    char* out;

    __device__ TripleVectorKernel(const CompoundTask& task, char* shared_memory)
        : tile(shared_memory),
          rows(static_cast<int>(task.rows)),
          cols(static_cast<int>(task.cols)),
          tile_cols(task.tile_cols) {
        const auto origin =
            TripleTileOrigin<int>::find_tile_of_block<TripleVectorKernel>(task, tile_cols);
        row = origin.row, col = origin.col, in = origin.in, out = origin.out;
    }

    __device__ void load() const {
        const int threads_across = tile_cols / N;
        const int y = static_cast<int>(threadIdx.x) / threads_across;
        const int x = static_cast<int>(threadIdx.x) - y * threads_across;
        if (row + y * 4 >= rows || col + x * N >= cols) return;
        const std::int64_t row_bytes = std::int64_t{cols} * ELEMENT_BYTES;
        const char* source = in + (row + y * 4) * row_bytes + (col + x * N) * ELEMENT_BYTES;
        unsigned word[4][12];
#pragma unroll
        for (int i = 0; i < 4; ++i, source += row_bytes) {
#pragma unroll
            for (int v = 0; v < 3; ++v) {
                const auto vector = transposing::load_vector<16>(source + v * 16);
#pragma unroll
                for (int w = 0; w < 4; ++w) word[i][v * 4 + w] = vector.word[w];
            }
        }
        // A thread's part of a column has 12 * SIZE bytes. The thread stores them in pieces of
        // STORE_BYTES bytes.
        constexpr int STORE_BYTES = SIZE == 4   ? 16
                                    : SIZE == 2 ? 8
                                                : 4,
                      STORE_WORDS = STORE_BYTES / 4;
#pragma unroll
        for (int c = 0; c < N; ++c) {
            char* const target = tile + (x * GROUP_PITCH_VECTORS + c * VECTORS_PER_COLUMN) * 16 +
                                 y * (4 * ELEMENT_BYTES);
#pragma unroll
            for (int v = 0; v < 3; ++v) {
                if constexpr (SIZE == 1) {
                    transposing::element<4>(target, v) = splice_word(word, c, v);
                } else {
                    Vector<STORE_BYTES> vector;
#pragma unroll
                    for (int w = 0; w < STORE_WORDS; ++w)
                        vector.word[w] = splice_word(word, c, v * STORE_WORDS + w);
                    transposing::store_vector<STORE_BYTES>(target + v * STORE_BYTES, vector);
                }
            }
        }
    }

    /// Returns word `word_index` of the thread's part of column `c`, which consists of four
    /// elements.
    static __device__ unsigned splice_word(const unsigned (&word)[4][12], int c, int word_index) {
        if constexpr (SIZE == 4) {
            return word[word_index / 3][c * 3 + word_index % 3];
        } else {
            // Unit k of the word is in row row_index(k) of the thread, at position unit_index(k).
            constexpr int UNITS_PER_WORD = 4 / SIZE;
            const auto row_index = [&](int k) { return (UNITS_PER_WORD * word_index + k) / 3; };
            const auto unit_index = [&](int k) {
                return c * 3 + (UNITS_PER_WORD * word_index + k) % 3;
            };
            // Returns a word that contains units k and k + 1.
            const auto select_unit_pair = [&](int k) {
                const int low_unit = unit_index(k), high_unit = unit_index(k + 1);
                const unsigned low = word[row_index(k)][low_unit / UNITS_PER_WORD];
                const unsigned high = word[row_index(k + 1)][high_unit / UNITS_PER_WORD];
                if (SIZE == 2) {
                    return __byte_perm(low, high,
                                       (low_unit % 2 == 0 ? 0x0010 : 0x0032) |
                                           (high_unit % 2 == 0 ? 0x5400 : 0x7600));
                }
                return __byte_perm(low, high, low_unit % 4 + (4 + high_unit % 4) * 16);
            };
            if constexpr (SIZE == 2) return select_unit_pair(0);
            return __byte_perm(select_unit_pair(0), select_unit_pair(UNITS_PER_WORD - 2), 0x5410);
        }
    }

    __device__ void store() const {
        const int cols_to_store = cols - col < tile_cols ? cols - col : tile_cols;
        const int vectors =
            rows - row < ROWS ? (rows - row) * ELEMENT_BYTES / 16 : VECTORS_PER_COLUMN;
        const std::int64_t column_bytes = std::int64_t{rows} * ELEMENT_BYTES;
        char* const tile_start = out + col * column_bytes + row * ELEMENT_BYTES;
#ifndef __clang__  // clang cannot unroll this loop and would print a warning
#    pragma unroll 4
#endif
        for (int i = static_cast<int>(threadIdx.x); i < cols_to_store * VECTORS_PER_COLUMN;
             i += static_cast<int>(blockDim.x)) {
            const int x = i / VECTORS_PER_COLUMN, v = i % VECTORS_PER_COLUMN;
            if (v >= vectors) continue;
            transposing::store_vector(
                tile_start + x * column_bytes + v * 16,
                transposing::load_vector<16>(
                    tile + (x / N * GROUP_PITCH_VECTORS + x % N * VECTORS_PER_COLUMN + v) * 16));
        }
    }
};

/// The kernel that runs TripleVectorKernel. The kernel is a template, so that several source files
/// may include this header. Requiring only one block per multiprocessor lets the compiler use more
/// registers.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS, 1)
    triple_vectors_kernel(const CompoundTask task) {
    extern __shared__ uint4 shared[];
    const Kernel kernel(task, reinterpret_cast<char*>(shared));
    kernel.load();
    __syncthreads();
    kernel.store();
}

}  // namespace coalesce::permuting
