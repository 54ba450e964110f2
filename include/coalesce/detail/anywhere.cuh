/// \file
/// Kernels for matrices with unaligned rows, which may start at any element. They move either
/// single elements, or vectors that they splice from two aligned vectors.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// A kernel in which each thread moves single elements. A thread loads LOADS elements at a time, so
/// that enough loads are in flight.
template <int SIZE, int TILE_ROWS_, int TILE_COLS_, int THREADS_, int SHIFT_BYTES,
          LoadPolicy LOADS_ = LoadPolicy::plain>
struct ShiftedElements {
    static constexpr int TILE_ROWS = TILE_ROWS_, TILE_COLS = TILE_COLS_, THREADS = THREADS_;
    static constexpr int SHIFT = SHIFT_BYTES / SIZE, LEAD = SHIFT - 1;
    static constexpr int ROWS = TILE_ROWS + LEAD, PITCH = TILE_COLS + 1;
    static constexpr int SHARED_BYTES = ROWS * PITCH * SIZE;

    static constexpr int LOAD_ROWS = THREADS / TILE_COLS;
    static constexpr int LOADS = (ROWS + LOAD_ROWS - 1) / LOAD_ROWS;
    static constexpr int STORE_COLS = THREADS / TILE_ROWS;
    static constexpr int STORES = TILE_COLS / STORE_COLS;
    static_assert(THREADS % TILE_COLS == 0 && THREADS % TILE_ROWS == 0, "whole rows and columns");
    static_assert(TILE_COLS % STORE_COLS == 0 && TILE_ROWS % SHIFT == 0,
                  "tiles are covered evenly");

    static __device__ void run(const Task& task, char* tile) {
        // Kernels for larger elements do not have enough registers to process strips in groups.
        const TileOrigin origin = SIZE <= 4 ? find_tile_in_strip_group(task, TILE_ROWS, TILE_COLS)
                                            : find_tile_of_block(task, TILE_ROWS, TILE_COLS);
        load(task, origin, tile);
        __syncthreads();
        store(task, origin, tile);
    }

    static __device__ void load(const Task& task, const TileOrigin& origin, char* tile) {
        const int x = threadIdx.x % TILE_COLS, y = threadIdx.x / TILE_COLS;
        const std::int64_t col = origin.col + x < task.cols ? origin.col + x : task.cols - 1;
        const std::int64_t top = origin.row - LEAD;
        const char* from = in_address<SIZE>(task, origin) + col * SIZE;
        Element<SIZE> value[LOADS];
        if (top >= 0 && top + LOADS * LOAD_ROWS <= task.rows) {
            from += (top + y) * task.in_pitch * SIZE;
#pragma unroll
            for (int k = 0; k < LOADS; ++k, from += LOAD_ROWS * task.in_pitch * SIZE) {
                value[k] = load_element<LOADS_, SIZE>(from);
            }
        } else {
#pragma unroll
            for (int k = 0; k < LOADS; ++k) {
                std::int64_t row = top + y + k * LOAD_ROWS;
                row = row < 0 ? 0 : row < task.rows ? row : task.rows - 1;
                value[k] = element<SIZE>(from, row * task.in_pitch);
            }
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            const int row = y + k * LOAD_ROWS;
            if ((k + 1) * LOAD_ROWS <= ROWS || row < ROWS) {
                element<SIZE>(tile, row * PITCH + x) = value[k];
            }
        }
    }

    static __device__ void store(const Task& task, const TileOrigin& origin, const char* tile) {
        char* out = out_address<SIZE>(task, origin);
        const int y = threadIdx.x % TILE_ROWS, first = threadIdx.x / TILE_ROWS;
        Element<SIZE> value[STORES];
        int phase[STORES];
#pragma unroll
        for (int k = 0; k < STORES; ++k) {
            const int x = first + k * STORE_COLS;
            phase[k] = alignment_phase<SIZE, SHIFT>(out, origin.col + x, task.out_pitch);
            value[k] = element<SIZE>(tile, (y + LEAD - phase[k]) * PITCH + x);
        }
        char* to = out + ((origin.col + first) * task.out_pitch + origin.row + y) * SIZE;
#pragma unroll
        for (int k = 0; k < STORES; ++k, to += STORE_COLS * task.out_pitch * SIZE) {
            const std::int64_t row = origin.row + y - phase[k];
            const bool is_inside = origin.col + first + k * STORE_COLS < task.cols && row >= 0;
            if (is_inside && row < task.rows) element<SIZE>(to, -phase[k]) = value[k];
        }
    }
};

/// Returns the vector at byte `offset` of the concatenation of `low` and `high`.
template <int SIZE, int BYTES>
__device__ inline Vector<BYTES> splice_vectors(const Vector<BYTES>& low, const Vector<BYTES>& high,
                                               unsigned offset) {
    constexpr int WORDS = BYTES / 4;
    unsigned word[2 * WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; ++i) word[i] = low.word[i], word[WORDS + i] = high.word[i];
    // Shift by two words, then by one word, then by less than a word.
    if constexpr (BYTES == 16 && SIZE <= 8) {
#pragma unroll
        for (int i = 0; i < 6; ++i) word[i] = offset & 8 ? word[i + 2] : word[i];
    }
    if constexpr (SIZE <= 4) {
#pragma unroll
        for (int i = 0; i < WORDS + 1; ++i) word[i] = offset & 4 ? word[i + 1] : word[i];
    }
    Vector<BYTES> vector;
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        vector.word[i] = word[i];
        if constexpr (SIZE < 4) {
            vector.word[i] = __funnelshift_r(word[i], word[i + 1], 8 * (offset % 4));
        }
    }
    return vector;
}

/// A kernel like RegisterBlocks, but for unaligned rows. Every vector that it loads or stores is
/// spliced from two aligned vectors. A block stores only whole groups of SHIFT_BYTES bytes, and
/// loads LEAD extra rows to complete its first groups.
template <int SIZE, int BYTES, int BLOCK_COLS, int BLOCK_ROWS, int PIECES, int SHIFT_BYTES>
struct RealignedVectors {
    static constexpr int VECTOR_ELEMENTS = BYTES / SIZE;
    static constexpr int SHIFT = SHIFT_BYTES / SIZE, LEAD = SHIFT;
    static constexpr int LOADED_ROWS = BLOCK_ROWS * PIECES * VECTOR_ELEMENTS;
    static constexpr int TILE_ROWS = LOADED_ROWS - LEAD, TILE_COLS = BLOCK_COLS * VECTOR_ELEMENTS;
    static constexpr int THREADS = BLOCK_COLS * BLOCK_ROWS;
    static constexpr int SHARED_BYTES = LOADED_ROWS * TILE_COLS * SIZE;

    static constexpr int ROW_VECTORS =
        LOADED_ROWS / VECTOR_ELEMENTS;  ///< vectors per row of the transposed tile
    static constexpr int COLS_PER_ROUND = THREADS / ROW_VECTORS;
    static constexpr int ROUNDS = TILE_COLS / COLS_PER_ROUND;
    static_assert(THREADS % ROW_VECTORS == 0 && TILE_COLS % COLS_PER_ROUND == 0,
                  "tiles are covered evenly");
    static_assert(SHIFT % VECTOR_ELEMENTS == 0 && TILE_ROWS % SHIFT == 0,
                  "vectors and tiles must consist of whole groups");

    using Tile = TransposedTile<SIZE, BYTES, TILE_COLS, ROW_VECTORS>;

    static __device__ void run(const Task& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, TILE_ROWS, TILE_COLS);
        const Tile tile{shared};
        if (may_read_around(task, origin)) {
            load(task, origin, tile);
        } else {
            load_elements(task, origin, tile);
        }
        __syncthreads();
        store(task, origin, tile);
    }

    /// Reports whether loads may extend past both ends of the tile's rows, because everything that
    /// they read is within the matrix.
    static __device__ bool may_read_around(const Task& task, const TileOrigin& origin) {
        const std::int64_t top = origin.row < LEAD ? 0 : origin.row - LEAD;
        const std::int64_t end = origin.row + TILE_ROWS;
        const std::int64_t bottom = (end < task.rows ? end : task.rows) - 1;
        const std::int64_t cols_before = origin.col,
                           cols_behind = task.cols - origin.col - TILE_COLS;
        if (task.in_pitch != task.cols)
            return cols_before >= VECTOR_ELEMENTS && cols_behind >= VECTOR_ELEMENTS;
        return top * task.cols + cols_before >= VECTOR_ELEMENTS &&
               (task.rows - 1 - bottom) * task.cols + cols_behind >= VECTOR_ELEMENTS;
    }

    /// Loads the tile. No load waits for another load or for a comparison. In place of elements
    /// outside the matrix, loads elements of the nearest row or column, which are not stored.
    static __device__ void load(const Task& task, const TileOrigin& origin, const Tile& tile) {
        const char* in = in_address<SIZE>(task, origin);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t col = origin.col + x * VECTOR_ELEMENTS;
        const char* from_col = in + (col < task.cols ? col : origin.col) * SIZE;
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const int quad = y + k * BLOCK_ROWS;
            Vector<BYTES> low[VECTOR_ELEMENTS], high[VECTOR_ELEMENTS], piece[VECTOR_ELEMENTS],
                column_vector[VECTOR_ELEMENTS];
            unsigned offset[VECTOR_ELEMENTS];
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
                std::int64_t row = origin.row - LEAD + quad * VECTOR_ELEMENTS + i;
                row = row < 0 ? 0 : row < task.rows ? row : task.rows - 1;
                const char* from = from_col + row * task.in_pitch * SIZE;
                offset[i] = reinterpret_cast<std::uintptr_t>(from) % BYTES;
                from -= offset[i];
                low[i] = load_vector<BYTES>(from);
                high[i] = load_vector<BYTES>(from + (offset[i] == 0 ? 0 : BYTES));
            }
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i)
                piece[i] = splice_vectors<SIZE>(low[i], high[i], offset[i]);
            transpose_vectors<SIZE>(column_vector, piece);
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i)
                store_vector(tile.vector(x * VECTOR_ELEMENTS + i, quad), column_vector[i]);
        }
    }

    static __device__ void load_elements(const Task& task, const TileOrigin& origin,
                                         const Tile& tile) {
        const char* in = in_address<SIZE>(task, origin);
        for (int i = threadIdx.x; i < LOADED_ROWS * TILE_COLS; i += THREADS) {
            const std::int64_t row = origin.row - LEAD + i / TILE_COLS;
            const std::int64_t col = origin.col + i % TILE_COLS;
            Element<SIZE> value = {};
            if (row >= 0 && row < task.rows && col < task.cols) {
                value = element<SIZE>(in, row * task.in_pitch + col);
            }
            // Write all elements of the tile, because it is read in whole vectors.
            tile.cell(i % TILE_COLS, i / TILE_COLS) = value;
        }
    }

    static __device__ void store(const Task& task, const TileOrigin& origin, const Tile& tile) {
        char* out = out_address<SIZE>(task, origin);
        const int lane = threadIdx.x % ROW_VECTORS, first = threadIdx.x / ROW_VECTORS;
        if (lane >= TILE_ROWS / VECTOR_ELEMENTS) return;
        Vector<BYTES> column_vector[ROUNDS];
        int phase[ROUNDS];
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int x = first + k * COLS_PER_ROUND;
            phase[k] = alignment_phase<SIZE, SHIFT>(out, origin.col + x, task.out_pitch);
            const int y = LEAD - phase[k] + lane * VECTOR_ELEMENTS;
            const auto low = load_vector<BYTES>(tile.vector(x, y / VECTOR_ELEMENTS));
            const auto high =
                load_vector<BYTES>(tile.vector(x, (y + VECTOR_ELEMENTS - 1) / VECTOR_ELEMENTS));
            column_vector[k] = splice_vectors<SIZE>(low, high, y % VECTOR_ELEMENTS * SIZE);
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int x = first + k * COLS_PER_ROUND;
            const std::int64_t col = origin.col + x,
                               row = origin.row - phase[k] + lane * VECTOR_ELEMENTS;
            char* to = out + (col * task.out_pitch + row) * SIZE;
            if (col >= task.cols || row + VECTOR_ELEMENTS <= 0 || row >= task.rows) continue;
            if (row >= 0 && row + VECTOR_ELEMENTS <= task.rows) {
                store_vector(to, column_vector[k]);
                continue;
            }
            for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
                if (row + i < 0 || row + i >= task.rows) continue;
                element<SIZE>(to, i) = tile.cell(x, LEAD - phase[k] + lane * VECTOR_ELEMENTS + i);
            }
        }
    }
};

}  // namespace coalesce::transposing
