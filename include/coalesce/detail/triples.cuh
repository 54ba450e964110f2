/// \file
/// Kernels for matrices whose elements consist of three units: 3, 6 or 12 bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "compounds.cuh"
#include "permute_plan.cuh"
#include "vectors.cuh"

namespace coalesce::permuting {

/// The position of a block's tile, and the addresses of its matrix.
template <class Number>
struct TriplePlace {
    Number row, col;  ///< the first row and column of the tile
    const char* in;
    char* out;

    /// Finds the tile of this block. A tile has Kernel::ROWS x Kernel::COLS elements.
    template <class Kernel>
    static __device__ TriplePlace find(const Compounds& task) {
        unsigned number = blockIdx.x;
        const auto down = static_cast<unsigned>(task.tiles_down);
        const auto across = static_cast<unsigned>(task.tiles_across);
        const Number row = static_cast<Number>(number % down) * Kernel::ROWS;
        number /= down;
        const Number col = static_cast<Number>(number % across) * Kernel::COLS;
        const std::int64_t matrix =
            task.rows * task.cols * Kernel::ELEMENT_BYTES * (number / across);
        return {row, col, static_cast<const char*>(task.in) + matrix,
                static_cast<char*>(task.out) + matrix};
    }
};

/// A kernel for elements that consist of three bytes or three half words. Rows and columns must
/// start at word boundaries and consist of whole words. Each thread loads N x N elements and
/// transposes them in registers. N elements fill three words.
template <int SIZE, int ROWS_ = 32, int COLS_ = SIZE == 1 ? 64 : 32>
struct Triples {
    static_assert(SIZE <= 2, "parts of words");
    /// The number of elements that fill three words.
    static constexpr int N = 4 / SIZE;
    static constexpr int ELEMENT_BYTES = 3 * SIZE;    ///< bytes per element
    static constexpr int ROWS = ROWS_, COLS = COLS_;  ///< the size of a tile
    static constexpr int THREADS_ACROSS = COLS / N, THREADS_DOWN = ROWS / N,
                         WORDS = THREADS_DOWN * 3;
    static constexpr int THREADS =
        THREADS_ACROSS * THREADS_DOWN;  ///< each thread transposes N x N elements
    /// The distance in words between columns of a tile.
    static constexpr int PITCH = WORDS + 1;

    const Compounds& task;
    unsigned* tile;  ///< the transposed tile
    std::int64_t row, col;
    const char* in;
    char* out;

    __device__ Triples(const Compounds& all, unsigned* memory) : task(all), tile(memory) {
        const auto place = TriplePlace<std::int64_t>::find<Triples>(task);
        row = place.row, col = place.col, in = place.in, out = place.out;
    }

    __device__ void load() const {
        const int x = threadIdx.x % THREADS_ACROSS, y = threadIdx.x / THREADS_ACROSS;
        if (row + y * N >= task.rows || col + x * N >= task.cols) return;
        const char* from = in + ((row + y * N) * task.cols + col + x * N) * ELEMENT_BYTES;
        unsigned word[N][3], turned[N][3];
#pragma unroll
        for (int i = 0; i < N; ++i, from += task.cols * ELEMENT_BYTES) {
#pragma unroll
            for (int w = 0; w < 3; ++w) word[i][w] = reinterpret_cast<const unsigned*>(from)[w];
        }
        transpose_units(turned, word);
#pragma unroll
        for (int i = 0; i < N; ++i) {
#pragma unroll
            for (int w = 0; w < 3; ++w) tile[(x * N + i) * PITCH + y * 3 + w] = turned[i][w];
        }
    }

    /// Transposes the elements in a thread's registers.
    static __device__ void transpose_units(unsigned (&out)[N][3], const unsigned (&in)[N][3]) {
        if constexpr (SIZE == 2) {
            out[0][0] = in[0][0];
            out[0][1] = __byte_perm(in[0][1], in[1][0], 0x5410);
            out[0][2] = __byte_perm(in[1][0], in[1][1], 0x5432);
            out[1][0] = __byte_perm(in[0][1], in[0][2], 0x5432);
            out[1][1] = __byte_perm(in[0][2], in[1][1], 0x7632);
            out[1][2] = in[1][2];
        } else {
            unsigned one[4][4];  // each word has an element in its low three bytes
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                one[i][0] = in[i][0];
                one[i][1] = __byte_perm(in[i][0], in[i][1], 0x0543);
                one[i][2] = __byte_perm(in[i][1], in[i][2], 0x0432);
                one[i][3] = in[i][2] >> 8;
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                out[i][0] = __byte_perm(one[0][i], one[1][i], 0x4210);
                out[i][1] = __byte_perm(one[1][i], one[2][i], 0x5421);
                out[i][2] = __byte_perm(one[2][i], one[3][i], 0x6542);
            }
        }
    }

    __device__ void store() const {
        const std::int64_t rows_left = task.rows - row, cols_left = task.cols - col;
        const int cols = cols_left < COLS ? static_cast<int>(cols_left) : COLS;
        const int words = rows_left < ROWS ? static_cast<int>(rows_left) / N * 3 : WORDS;
#pragma unroll 4
        for (int i = threadIdx.x; i < cols * WORDS; i += THREADS) {
            const int x = i / WORDS, word = i % WORDS;
            if (word >= words) continue;
            char* const to = out + ((col + x) * task.rows + row) * ELEMENT_BYTES;
            transposing::element<4>(to, word) = tile[x * PITCH + word];
        }
    }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS) triple_kernel(const Compounds task) {
    __shared__ unsigned tile[Kernel::COLS * Kernel::PITCH];
    const Kernel triples(task, tile);
    triples.load();
    __syncthreads();
    triples.store();
}

/// A kernel for elements that consist of three half words. Rows and columns must start at multiples
/// of 16 bytes and consist of whole vectors. Each thread loads eight elements (three vectors) from
/// each of four rows, and transposes them in registers. In shared memory, the elements of a tile
/// have the same order as in `out`.
struct TripleVectors {
    static constexpr int THREADS_ACROSS = 7, THREADS_DOWN = 28,
                         THREADS = THREADS_ACROSS * THREADS_DOWN;
    static constexpr int N = 8, ELEMENT_BYTES = 6;  ///< columns per thread; bytes per element
    static constexpr int ROWS = 4 * THREADS_DOWN,
                         COLS = N * THREADS_ACROSS;            ///< the size of a tile
    static constexpr int VECTORS = ROWS * ELEMENT_BYTES / 16;  ///< vectors per column of a tile
    /// The distance in vectors between the columns of two neighbouring threads, each of which has N
    /// columns. The distance is one more than a multiple of 8, so that neighbouring threads, which
    /// store at the same time, access different banks.
    static constexpr int GROUP_PITCH = (N * VECTORS + 7) / 8 * 8 + 1;
    static constexpr int SHARED_BYTES = THREADS_ACROSS * GROUP_PITCH * 16;
    static_assert(ROWS * ELEMENT_BYTES % 16 == 0, "columns are whole vectors");

    const Compounds& task;
    char* tile;
    int row, col;
    const char* in;
    char* out;

    __device__ TripleVectors(const Compounds& all, char* memory) : task(all), tile(memory) {
        const auto place = TriplePlace<int>::find<TripleVectors>(task);
        row = place.row, col = place.col, in = place.in, out = place.out;
    }

    __device__ void load() const {
        const int x = threadIdx.x % THREADS_ACROSS, y = threadIdx.x / THREADS_ACROSS;
        if (row + y * 4 >= task.rows || col + x * N >= task.cols) return;
        const char* from = in + ((row + y * 4) * task.cols + col + x * N) * ELEMENT_BYTES;
        unsigned word[4][12];
#pragma unroll
        for (int i = 0; i < 4; ++i, from += task.cols * ELEMENT_BYTES) {
#pragma unroll
            for (int v = 0; v < 3; ++v) {
                const auto vector = transposing::load_vector<16>(from + v * 16);
#pragma unroll
                for (int w = 0; w < 4; ++w) word[i][v * 4 + w] = vector.word[w];
            }
        }
#pragma unroll
        for (int c = 0; c < N; ++c) {
            char* const to = tile + (x * GROUP_PITCH + c * VECTORS) * 16 + y * (4 * ELEMENT_BYTES);
#pragma unroll
            for (int v = 0; v < 3; ++v) {
                transposing::store_vector<8>(
                    to + v * 8, {{word_of(word, c, v * 2), word_of(word, c, v * 2 + 1)}});
            }
        }
    }

    /// Returns word `number` of column `c` of a thread's elements. A column consists of four
    /// elements, and a word consists of two half words.
    static __device__ unsigned word_of(const unsigned (&word)[4][12], int c, int number) {
        const int one = 2 * number, other = one + 1;
        const int at = c * 3 + one % 3, other_at = c * 3 + other % 3;
        return __byte_perm(word[one / 3][at / 2], word[other / 3][other_at / 2],
                           (at % 2 == 0 ? 0x0010 : 0x0032) | (other_at % 2 == 0 ? 0x5400 : 0x7600));
    }

    __device__ void store() const {
        const std::int64_t rows_left = task.rows - row, cols_left = task.cols - col;
        const int cols = cols_left < COLS ? static_cast<int>(cols_left) : COLS;
        const int vectors =
            rows_left < ROWS ? static_cast<int>(rows_left) * ELEMENT_BYTES / 16 : VECTORS;
        char* const corner = out + (col * task.rows + row) * ELEMENT_BYTES;
#ifndef __clang__  // clang cannot unroll this loop and would print a warning
#    pragma unroll 4
#endif
        for (int i = threadIdx.x; i < COLS * VECTORS; i += THREADS) {
            const int x = i / VECTORS, v = i % VECTORS;
            if (x >= cols || v >= vectors) continue;
            transposing::store_vector(corner + x * task.rows * ELEMENT_BYTES + v * 16,
                                      transposing::load_vector<16>(
                                          tile + (x / N * GROUP_PITCH + x % N * VECTORS + v) * 16));
        }
    }
};

/// The kernel that runs TripleVectors; a template, so that several source files may include it.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS) triple_vectors_kernel(const Compounds task) {
    extern __shared__ uint4 shared[];
    const Kernel triples(task, reinterpret_cast<char*>(shared));
    triples.load();
    __syncthreads();
    triples.store();
}

}  // namespace coalesce::permuting
