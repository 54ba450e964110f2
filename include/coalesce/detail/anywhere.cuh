/// \file
/// Kernels for matrices with unaligned rows, which may start at any element. Some kernels move
/// single elements. The others move vectors, each of which they splice from two aligned vectors.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// A kernel in which each thread moves single elements. A thread loads LOADS_PER_THREAD elements at
/// a time, so that enough loads are in flight.
template <int SIZE, int TILE_ROWS_, int TILE_COLS_, int THREADS_, int ALIGNMENT_BYTES,
          LoadPolicy LOADS_ = LoadPolicy::plain>
struct ShiftedElementKernel {
    static constexpr int TILE_ROWS = TILE_ROWS_, TILE_COLS = TILE_COLS_, THREADS = THREADS_;
    static constexpr int ALIGNMENT_ELEMENTS = ALIGNMENT_BYTES / SIZE,
                         EXTRA_ROWS = ALIGNMENT_ELEMENTS - 1;
    static constexpr int ROWS = TILE_ROWS + EXTRA_ROWS, PITCH = TILE_COLS + 1;
    static constexpr int SHARED_BYTES = ROWS * PITCH * SIZE;

    static constexpr int ROWS_PER_LOAD = THREADS / TILE_COLS;
    static constexpr int LOADS_PER_THREAD = (ROWS + ROWS_PER_LOAD - 1) / ROWS_PER_LOAD;
    static constexpr int COLS_PER_STORE = THREADS / TILE_ROWS;
    static constexpr int STORES_PER_THREAD = TILE_COLS / COLS_PER_STORE;
    static_assert(THREADS % TILE_COLS == 0 && THREADS % TILE_ROWS == 0, "whole rows and columns");
    static_assert(TILE_COLS % COLS_PER_STORE == 0 && TILE_ROWS % ALIGNMENT_ELEMENTS == 0,
                  "tiles are covered evenly");

    static __device__ void run(const TransposeTask& task, char* tile) {
        // Kernels for larger elements do not have enough registers to process strips in groups.
        const TileOrigin origin = SIZE <= 4 ? find_tile_in_strip_group(task, TILE_ROWS, TILE_COLS)
                                            : find_tile_of_block(task, TILE_ROWS, TILE_COLS);
        load(task, origin, tile);
        __syncthreads();
        store(task, origin, tile);
    }

    static __device__ void load(const TransposeTask& task, const TileOrigin& origin, char* tile) {
        const int x = threadIdx.x % TILE_COLS, y = threadIdx.x / TILE_COLS;
        const std::int64_t col = origin.col + x < task.cols ? origin.col + x : task.cols - 1;
        const std::int64_t top_row = origin.row - EXTRA_ROWS;
        const char* source = in_matrix_address<SIZE>(task, origin) + col * SIZE;
        Element<SIZE> value[LOADS_PER_THREAD];
        if (top_row >= 0 && top_row + LOADS_PER_THREAD * ROWS_PER_LOAD <= task.rows) {
            source += (top_row + y) * task.in_pitch * SIZE;
#pragma unroll
            for (int k = 0; k < LOADS_PER_THREAD;
                 ++k, source += ROWS_PER_LOAD * task.in_pitch * SIZE) {
                value[k] = load_element<LOADS_, SIZE>(source);
            }
        } else {
#pragma unroll
            for (int k = 0; k < LOADS_PER_THREAD; ++k) {
                std::int64_t row = top_row + y + k * ROWS_PER_LOAD;
                row = row < 0 ? 0 : row < task.rows ? row : task.rows - 1;
                value[k] = element<SIZE>(source, row * task.in_pitch);
            }
        }
#pragma unroll
        for (int k = 0; k < LOADS_PER_THREAD; ++k) {
            const int row = y + k * ROWS_PER_LOAD;
            if ((k + 1) * ROWS_PER_LOAD <= ROWS || row < ROWS) {
                element<SIZE>(tile, row * PITCH + x) = value[k];
            }
        }
    }

    static __device__ void store(const TransposeTask& task, const TileOrigin& origin,
                                 const char* tile) {
        char* out_matrix = out_matrix_address<SIZE>(task, origin);
        const int y = threadIdx.x % TILE_ROWS, first_col = threadIdx.x / TILE_ROWS;
        Element<SIZE> value[STORES_PER_THREAD];
        int misaligned_elements[STORES_PER_THREAD];
#pragma unroll
        for (int k = 0; k < STORES_PER_THREAD; ++k) {
            const int x = first_col + k * COLS_PER_STORE;
            misaligned_elements[k] = count_misaligned_elements<SIZE, ALIGNMENT_ELEMENTS>(
                out_matrix, origin.col + x, task.out_pitch);
            value[k] = element<SIZE>(tile, (y + EXTRA_ROWS - misaligned_elements[k]) * PITCH + x);
        }
        char* target =
            out_matrix + ((origin.col + first_col) * task.out_pitch + origin.row + y) * SIZE;
#pragma unroll
        for (int k = 0; k < STORES_PER_THREAD;
             ++k, target += COLS_PER_STORE * task.out_pitch * SIZE) {
            const std::int64_t row = origin.row + y - misaligned_elements[k];
            const bool is_inside_matrix =
                origin.col + first_col + k * COLS_PER_STORE < task.cols && row >= 0;
            if (is_inside_matrix && row < task.rows)
                element<SIZE>(target, -misaligned_elements[k]) = value[k];
        }
    }
};

/// Returns the vector at byte `byte_offset` of the concatenation of `low_vector` and `high_vector`.
template <int SIZE, int BYTES>
__device__ inline Vector<BYTES> splice_vectors(const Vector<BYTES>& low_vector,
                                               const Vector<BYTES>& high_vector,
                                               unsigned byte_offset) {
    constexpr int WORDS = BYTES / 4;
    unsigned joined_word[2 * WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; ++i)
        joined_word[i] = low_vector.word[i], joined_word[WORDS + i] = high_vector.word[i];
    // Shift by two words, then by one word, then by less than a word.
    if constexpr (BYTES == 16 && SIZE <= 8) {
#pragma unroll
        for (int i = 0; i < 6; ++i)
            joined_word[i] = byte_offset & 8 ? joined_word[i + 2] : joined_word[i];
    }
    if constexpr (SIZE <= 4) {
#pragma unroll
        for (int i = 0; i < WORDS + 1; ++i)
            joined_word[i] = byte_offset & 4 ? joined_word[i + 1] : joined_word[i];
    }
    Vector<BYTES> spliced_vector;
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        spliced_vector.word[i] = joined_word[i];
        if constexpr (SIZE < 4) {
            spliced_vector.word[i] =
                __funnelshift_r(joined_word[i], joined_word[i + 1], 8 * (byte_offset % 4));
        }
    }
    return spliced_vector;
}

/// A variant of RegisterBlockKernel for unaligned rows. Every vector that it loads or stores is
/// spliced from two aligned vectors. A block stores only whole groups of ALIGNMENT_BYTES bytes, and
/// loads EXTRA_ROWS additional rows to complete its first groups.
template <int SIZE, int BYTES, int BLOCK_COLS, int BLOCK_ROWS, int PIECES, int ALIGNMENT_BYTES>
struct RealignedVectorKernel {
    static constexpr int VECTOR_ELEMENTS = BYTES / SIZE;
    static constexpr int ALIGNMENT_ELEMENTS = ALIGNMENT_BYTES / SIZE,
                         EXTRA_ROWS = ALIGNMENT_ELEMENTS;
    static constexpr int LOADED_ROWS = BLOCK_ROWS * PIECES * VECTOR_ELEMENTS;
    static constexpr int TILE_ROWS = LOADED_ROWS - EXTRA_ROWS,
                         TILE_COLS = BLOCK_COLS * VECTOR_ELEMENTS;
    static constexpr int THREADS = BLOCK_COLS * BLOCK_ROWS;
    static constexpr int SHARED_BYTES = LOADED_ROWS * TILE_COLS * SIZE;

    static constexpr int VECTORS_PER_ROW =
        LOADED_ROWS / VECTOR_ELEMENTS;  ///< vectors per row of the transposed tile
    static constexpr int COLS_PER_ROUND = THREADS / VECTORS_PER_ROW;
    static constexpr int ROUNDS = TILE_COLS / COLS_PER_ROUND;
    static_assert(THREADS % VECTORS_PER_ROW == 0 && TILE_COLS % COLS_PER_ROUND == 0,
                  "tiles are covered evenly");
    static_assert(ALIGNMENT_ELEMENTS % VECTOR_ELEMENTS == 0 && TILE_ROWS % ALIGNMENT_ELEMENTS == 0,
                  "vectors and tiles must consist of whole groups");

    using Tile = TransposedTile<SIZE, BYTES, TILE_COLS, VECTORS_PER_ROW>;

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, TILE_ROWS, TILE_COLS);
        const Tile tile{shared};
        if (can_read_around_tile(task, origin)) {
            load(task, origin, tile);
        } else {
            load_elements(task, origin, tile);
        }
        __syncthreads();
        store(task, origin, tile);
    }

    /// Reports whether loads may extend past both ends of the tile's rows. They may if everything
    /// that they read is within the matrix.
    static __device__ bool can_read_around_tile(const TransposeTask& task,
                                                const TileOrigin& origin) {
        const std::int64_t top_row = origin.row < EXTRA_ROWS ? 0 : origin.row - EXTRA_ROWS;
        const std::int64_t end_row = origin.row + TILE_ROWS;
        const std::int64_t bottom_row = (end_row < task.rows ? end_row : task.rows) - 1;
        const std::int64_t cols_before = origin.col,
                           cols_after = task.cols - origin.col - TILE_COLS;
        if (task.in_pitch != task.cols)
            return cols_before >= VECTOR_ELEMENTS && cols_after >= VECTOR_ELEMENTS;
        return top_row * task.cols + cols_before >= VECTOR_ELEMENTS &&
               (task.rows - 1 - bottom_row) * task.cols + cols_after >= VECTOR_ELEMENTS;
    }

    /// Loads the tile. No load waits for another load or for a comparison. For positions outside
    /// the matrix, loads elements of the nearest row or column instead. These elements are not
    /// stored.
    static __device__ void load(const TransposeTask& task, const TileOrigin& origin,
                                const Tile& tile) {
        const char* in_matrix = in_matrix_address<SIZE>(task, origin);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t col = origin.col + x * VECTOR_ELEMENTS;
        const char* column_start = in_matrix + (col < task.cols ? col : origin.col) * SIZE;
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const int vector_index = y + k * BLOCK_ROWS;
            Vector<BYTES> low_vector[VECTOR_ELEMENTS], high_vector[VECTOR_ELEMENTS],
                row_vector[VECTOR_ELEMENTS], column_vector[VECTOR_ELEMENTS];
            unsigned misaligned_bytes[VECTOR_ELEMENTS];
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
                std::int64_t row = origin.row - EXTRA_ROWS + vector_index * VECTOR_ELEMENTS + i;
                row = row < 0 ? 0 : row < task.rows ? row : task.rows - 1;
                const char* source = column_start + row * task.in_pitch * SIZE;
                misaligned_bytes[i] = reinterpret_cast<std::uintptr_t>(source) % BYTES;
                source -= misaligned_bytes[i];
                low_vector[i] = load_vector<BYTES>(source);
                high_vector[i] =
                    load_vector<BYTES>(source + (misaligned_bytes[i] == 0 ? 0 : BYTES));
            }
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i)
                row_vector[i] =
                    splice_vectors<SIZE>(low_vector[i], high_vector[i], misaligned_bytes[i]);
            transpose_vectors<SIZE>(column_vector, row_vector);
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i)
                store_vector(tile.vector_address(x * VECTOR_ELEMENTS + i, vector_index),
                             column_vector[i]);
        }
    }

    static __device__ void load_elements(const TransposeTask& task, const TileOrigin& origin,
                                         const Tile& tile) {
        const char* in_matrix = in_matrix_address<SIZE>(task, origin);
        for (int i = threadIdx.x; i < LOADED_ROWS * TILE_COLS; i += THREADS) {
            const std::int64_t row = origin.row - EXTRA_ROWS + i / TILE_COLS;
            const std::int64_t col = origin.col + i % TILE_COLS;
            Element<SIZE> value = {};
            if (row >= 0 && row < task.rows && col < task.cols) {
                value = element<SIZE>(in_matrix, row * task.in_pitch + col);
            }
            // Write every element of the tile, even elements outside the matrix, because the tile
            // is read in whole vectors.
            tile.element_at(i % TILE_COLS, i / TILE_COLS) = value;
        }
    }

    static __device__ void store(const TransposeTask& task, const TileOrigin& origin,
                                 const Tile& tile) {
        char* out_matrix = out_matrix_address<SIZE>(task, origin);
        const int vector_index = threadIdx.x % VECTORS_PER_ROW,
                  first_col = threadIdx.x / VECTORS_PER_ROW;
        if (vector_index >= TILE_ROWS / VECTOR_ELEMENTS) return;
        Vector<BYTES> column_vector[ROUNDS];
        int misaligned_elements[ROUNDS];
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int x = first_col + k * COLS_PER_ROUND;
            misaligned_elements[k] = count_misaligned_elements<SIZE, ALIGNMENT_ELEMENTS>(
                out_matrix, origin.col + x, task.out_pitch);
            const int y = EXTRA_ROWS - misaligned_elements[k] + vector_index * VECTOR_ELEMENTS;
            const auto low_vector = load_vector<BYTES>(tile.vector_address(x, y / VECTOR_ELEMENTS));
            const auto high_vector = load_vector<BYTES>(
                tile.vector_address(x, (y + VECTOR_ELEMENTS - 1) / VECTOR_ELEMENTS));
            column_vector[k] =
                splice_vectors<SIZE>(low_vector, high_vector, y % VECTOR_ELEMENTS * SIZE);
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int x = first_col + k * COLS_PER_ROUND;
            const std::int64_t col = origin.col + x, row = origin.row - misaligned_elements[k] +
                                                           vector_index * VECTOR_ELEMENTS;
            char* target = out_matrix + (col * task.out_pitch + row) * SIZE;
            if (col >= task.cols || row + VECTOR_ELEMENTS <= 0 || row >= task.rows) continue;
            if (row >= 0 && row + VECTOR_ELEMENTS <= task.rows) {
                store_vector(target, column_vector[k]);
                continue;
            }
            for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
                if (row + i < 0 || row + i >= task.rows) continue;
                element<SIZE>(target, i) = tile.element_at(
                    x, EXTRA_ROWS - misaligned_elements[k] + vector_index * VECTOR_ELEMENTS + i);
            }
        }
    }
};

}  // namespace coalesce::transposing
