/// \file
/// Kernels for matrices whose rows consist of whole vectors of 16 bytes and start at multiples of
/// 16 bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// A kernel in which each thread transposes PIECES square pieces of VECTOR_ELEMENTS x
/// VECTOR_ELEMENTS elements. A row of a piece is a vector of 16 bytes.
template <int SIZE, int BLOCK_COLS, int BLOCK_ROWS, int PIECES,
          LoadPolicy LOADS = LoadPolicy::plain>
struct RegisterBlockKernel {
    static constexpr int VECTOR_ELEMENTS = 16 / SIZE;
    static constexpr int TILE_ROWS = BLOCK_ROWS * PIECES * VECTOR_ELEMENTS,
                         TILE_COLS = BLOCK_COLS * VECTOR_ELEMENTS;
    static constexpr int THREADS = BLOCK_COLS * BLOCK_ROWS;
    static constexpr int EXTRA_ROWS = 0;
    static constexpr int SHARED_BYTES = TILE_ROWS * TILE_COLS * SIZE;

    static constexpr int VECTORS_PER_ROW =
        TILE_ROWS / VECTOR_ELEMENTS;  ///< vectors per row of the transposed tile
    static constexpr int COLS_PER_ROUND = THREADS / VECTORS_PER_ROW;
    static constexpr int ROUNDS = TILE_COLS / COLS_PER_ROUND;
    static_assert(THREADS % VECTORS_PER_ROW == 0 && TILE_COLS % COLS_PER_ROUND == 0,
                  "tiles are covered evenly");

    using Tile = TransposedTile<SIZE, 16, TILE_COLS, VECTORS_PER_ROW>;

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_in_spread_strips(task, TILE_ROWS, TILE_COLS);
        const Tile tile{shared};
        load(task, origin, tile);
        __syncthreads();
        store(task, origin, tile);
    }

    static __device__ void load(const TransposeTask& task, const TileOrigin& origin,
                                const Tile& tile) {
        const char* in_matrix = in_matrix_address<SIZE>(task, origin);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t col = origin.col + x * VECTOR_ELEMENTS;
        Vector<16> row_vector[PIECES][VECTOR_ELEMENTS];
        // Issue all loads first, so that they are in flight together.
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const std::int64_t row = origin.row + (y + k * BLOCK_ROWS) * VECTOR_ELEMENTS;
            if (row < task.rows && col < task.cols) {
                const char* source = in_matrix + (row * task.in_pitch + col) * SIZE;
#pragma unroll
                for (int i = 0; i < VECTOR_ELEMENTS; ++i, source += task.in_pitch * SIZE) {
                    row_vector[k][i] = load_with_policy<LOADS>(source);
                }
            }
        }
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            Vector<16> column_vector[VECTOR_ELEMENTS];
            transpose_vectors<SIZE>(column_vector, row_vector[k]);
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
                store_vector(tile.vector_address(x * VECTOR_ELEMENTS + i, y + k * BLOCK_ROWS),
                             column_vector[i]);
            }
        }
    }

    static __device__ void store(const TransposeTask& task, const TileOrigin& origin,
                                 const Tile& tile) {
        char* out_matrix = out_matrix_address<SIZE>(task, origin);
        const int vector_index = threadIdx.x % VECTORS_PER_ROW,
                  first_col = threadIdx.x / VECTORS_PER_ROW;
        const std::int64_t row = origin.row + vector_index * VECTOR_ELEMENTS;
        Vector<16> column_vector[ROUNDS];
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            column_vector[k] =
                load_vector<16>(tile.vector_address(first_col + k * COLS_PER_ROUND, vector_index));
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const std::int64_t col = origin.col + first_col + k * COLS_PER_ROUND;
            if (row < task.rows && col < task.cols) {
                store_vector(out_matrix + (col * task.out_pitch + row) * SIZE, column_vector[k]);
            }
        }
    }
};

/// A variant of RegisterBlockKernel for matrices in which some rows of `out` do not start at sector
/// boundaries. A block stores whole sectors only. To complete its first sectors, the block also
/// loads the last EXTRA_ROWS rows of the previous block.
template <int SIZE, int BLOCK_COLS, int BLOCK_ROWS, LoadPolicy LOADS>
struct WholeSectorKernel {
    static constexpr int VECTOR_ELEMENTS = 16 / SIZE, EXTRA_ROWS = 32 / SIZE;
    static constexpr int LOADED_ROWS = BLOCK_ROWS * VECTOR_ELEMENTS;
    static constexpr int TILE_ROWS = LOADED_ROWS - EXTRA_ROWS,
                         TILE_COLS = BLOCK_COLS * VECTOR_ELEMENTS;
    static constexpr int THREADS = BLOCK_COLS * BLOCK_ROWS;
    static constexpr int SHARED_BYTES = LOADED_ROWS * TILE_COLS * SIZE;
    static constexpr int COLS_PER_ROUND = THREADS / BLOCK_ROWS;
    static constexpr int ROUNDS = TILE_COLS / COLS_PER_ROUND;

    using Tile = TransposedTile<SIZE, 16, TILE_COLS, BLOCK_ROWS>;

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, TILE_ROWS, TILE_COLS);
        const Tile tile{shared};
        load(task, origin, tile);
        __syncthreads();
        store(task, origin, tile);
    }

    static __device__ void load(const TransposeTask& task, const TileOrigin& origin,
                                const Tile& tile) {
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t col = origin.col + x * VECTOR_ELEMENTS;
        const std::int64_t row = origin.row - EXTRA_ROWS + y * VECTOR_ELEMENTS;
        Vector<16> row_vector[VECTOR_ELEMENTS] = {}, column_vector[VECTOR_ELEMENTS];
        if (row >= 0 && row < task.rows && col < task.cols) {
            const char* source =
                in_matrix_address<SIZE>(task, origin) + (row * task.in_pitch + col) * SIZE;
#pragma unroll
            for (int i = 0; i < VECTOR_ELEMENTS; ++i, source += task.in_pitch * SIZE) {
                row_vector[i] = load_with_policy<LOADS>(source);
            }
        }
        transpose_vectors<SIZE>(column_vector, row_vector);
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i)
            store_vector(tile.vector_address(x * VECTOR_ELEMENTS + i, y), column_vector[i]);
    }

    static __device__ void store(const TransposeTask& task, const TileOrigin& origin,
                                 const Tile& tile) {
        constexpr int EXTRA_VECTORS = EXTRA_ROWS / VECTOR_ELEMENTS;
        const int vector_index = threadIdx.x % BLOCK_ROWS, first_col = threadIdx.x / BLOCK_ROWS;
        if (vector_index >= BLOCK_ROWS - EXTRA_VECTORS) return;
        char* const out_matrix = out_matrix_address<SIZE>(task, origin);
        Vector<16> column_vector[ROUNDS];
        int vectors_past_boundary
            [ROUNDS];  // vectors from the last sector boundary to the tile's first row
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int x = first_col + k * COLS_PER_ROUND;
            const char* const column_start =
                out_matrix + ((origin.col + x) * task.out_pitch + origin.row) * SIZE;
            vectors_past_boundary[k] =
                static_cast<int>(reinterpret_cast<std::uintptr_t>(column_start) % 32 / 16);
            column_vector[k] = load_vector<16>(
                tile.vector_address(x, vector_index + EXTRA_VECTORS - vectors_past_boundary[k]));
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const std::int64_t row =
                origin.row + (vector_index - vectors_past_boundary[k]) * VECTOR_ELEMENTS;
            const std::int64_t col = origin.col + first_col + k * COLS_PER_ROUND;
            if (row < 0 || row >= task.rows || col >= task.cols) continue;
            store_vector(out_matrix + (col * task.out_pitch + row) * SIZE, column_vector[k]);
        }
    }
};

/// A kernel for words, with tiles of 64 x 64 words. A tile is stored in shared memory as it was
/// loaded, and is transposed when it is read. Each group of four rows has its own permutation of
/// the vectors, so that threads that read a column cause no bank conflicts.
template <LoadPolicy LOADS>
struct AlignedWordKernel {
    static constexpr int TILE_ROWS = 64, TILE_COLS = 64, THREADS = 512, EXTRA_ROWS = 0;
    static constexpr int SHARED_BYTES = TILE_ROWS * TILE_COLS * 4;

    static __device__ char* vector_address(char* shared, int row, int vector_index) {
        return shared + (row * 16 + (vector_index ^ (row / 4 % 8))) * 16;
    }

    /// Returns the tile of this block. If neighbouring strips share cache lines, blocks that run at
    /// the same time process neighbouring strips, so that the shared lines are still cached.
    /// Otherwise, they process strips that are far apart.
    static __device__ TileOrigin find_tile(const TransposeTask& task) {
        return LOADS == LoadPolicy::evict_last_128
                   ? find_tile_in_strip_group(task, TILE_ROWS, TILE_COLS)
                   : find_tile_in_spread_strips(task, TILE_ROWS, TILE_COLS);
    }

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile(task);
        const int x = threadIdx.x % 16, y = threadIdx.x / 16;
        load(task, origin, shared, x, y);
        __syncthreads();
        store(task, origin, shared, x, 2 * y);
    }

    static __device__ void load(const TransposeTask& task, const TileOrigin& origin, char* shared,
                                int x, int y) {
        const std::int64_t col = origin.col + 4 * x, row = origin.row + y;
        const char* source = in_matrix_address<4>(task, origin) + (row * task.in_pitch + col) * 4;
        Vector<16> upper_vector = {}, lower_vector = {};
        if (col < task.cols && row < task.rows) upper_vector = load_with_policy<LOADS>(source);
        if (col < task.cols && row + 32 < task.rows) {
            lower_vector = load_with_policy<LOADS>(source + 32 * task.in_pitch * 4);
        }
        store_vector(vector_address(shared, y, x), upper_vector);
        store_vector(vector_address(shared, y + 32, x), lower_vector);
    }

    /// Stores four rows of two columns of the tile.
    static __device__ void store(const TransposeTask& task, const TileOrigin& origin, char* shared,
                                 int vector_index, int x) {
        Vector<8> column_pair[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            column_pair[i] =
                load_vector<8>(vector_address(shared, vector_index * 4 + i, x / 4) + x % 4 * 4);
        }
        const std::int64_t col = origin.col + x, row = origin.row + 4 * vector_index;
        if (col >= task.cols || row >= task.rows) return;
        char* target = out_matrix_address<4>(task, origin) + (col * task.out_pitch + row) * 4;
#pragma unroll
        for (int k = 0; k < 2; ++k, target += task.out_pitch * 4) {
            store_vector<16>(target, {{column_pair[0].word[k], column_pair[1].word[k],
                                       column_pair[2].word[k], column_pair[3].word[k]}});
        }
    }
};

}  // namespace coalesce::transposing
