/// \file
/// Kernels for matrices whose elements consist of several units, such as 3 bytes or 5 words.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "permute_plan.cuh"
#include "strips.cuh"
#include "vectors.cuh"
#include "word_tile.cuh"

namespace coalesce::permuting {

/// A matrix whose elements consist of several units, such as 3 bytes, or a batch of such matrices.
struct CompoundTask {
    void* out;
    const void* in;
    std::int64_t rows, cols, batches, array_bytes;
    int units;                 ///< the number of units per element
    int tile_rows, tile_cols;  ///< size of a tile, in elements
    int pitch;                 ///< the distance in words between rows of a tile
    int extra_rows;            ///< the number of extra rows loaded before the rows of the tile
    bool loads_vectors;        ///< whether rows are loaded as vectors instead of words
    int warps_per_block;
    std::int64_t tiles_down, tiles_across;
};

/// A kernel that loads and stores whole words, even if rows start within a word. Shared memory
/// holds the words of a tile as they were loaded. Each lane computes once which units form its
/// words of `out`, because these units have the same positions in all columns of the lane.
template <int SIZE, bool LOADS_VECTORS>
struct CompoundKernel {
    static_assert(SIZE <= 4, "a word holds units");
    static constexpr int LOAD_BYTES = LOADS_VECTORS ? 16 : 4;  ///< the bytes of one load
    static constexpr int ELEMENTS_PER_WORD = 4 / SIZE, LOADS_IN_FLIGHT = 8;
    /// The number of extra rows to load. A block needs an extra row, because the first word of a
    /// column may start in the row before the tile.
    static constexpr int EXTRA_ROWS = SIZE == 4 ? 0 : 1;

    const CompoundTask& task;
    char* tile;
    int element_bytes;  ///< the bytes per element
    std::int64_t row,
        matrix_offset;  ///< the tile's first row, and the offset of the matrix in bytes
    std::int64_t col;
    int rows, cols;          ///< the numbers of rows and columns to load
    const char* source_row;  ///< the address of the first loaded byte

    __device__ CompoundKernel(const CompoundTask& compound_task, char* shared_memory)
        : task(compound_task), tile(shared_memory) {
        element_bytes = task.units * SIZE;
        unsigned tile_number = blockIdx.x;
        const auto tile_count_down = static_cast<unsigned>(task.tiles_down);
        const auto tile_count_across = static_cast<unsigned>(task.tiles_across);
        row = std::int64_t{tile_number % tile_count_down} * task.tile_rows;
        tile_number /= tile_count_down;
        col = std::int64_t{tile_number % tile_count_across} * task.tile_cols;
        matrix_offset = task.rows * task.cols * element_bytes * (tile_number / tile_count_across);
        const std::int64_t top_row = row < task.extra_rows ? 0 : row - task.extra_rows,
                           cols_left = task.cols - col;
        const std::int64_t end_row =
            row + task.tile_rows < task.rows ? row + task.tile_rows : task.rows;
        rows = static_cast<int>(end_row - top_row);
        cols = static_cast<int>(cols_left < task.tile_cols ? cols_left : task.tile_cols);
        source_row = static_cast<const char*>(task.in) + matrix_offset +
                     (top_row * task.cols + col) * element_bytes;
    }
    static __device__ unsigned misaligned_bytes_of(const char* address, unsigned alignment) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address)) % alignment;
    }
    /// Returns the row's offset within its first loaded vector or word, in bytes.
    __device__ unsigned count_misaligned_row_bytes(int y) const {
        const auto row_bytes = static_cast<unsigned>(task.cols * element_bytes);
        if (SIZE == LOAD_BYTES) return 0;
        return (misaligned_bytes_of(source_row, LOAD_BYTES) +
                static_cast<unsigned>(y) * row_bytes) %
               LOAD_BYTES;
    }

    template <bool IS_INNER>
    __device__ unsigned load_word(const char* address) const {
        if (IS_INNER) return *reinterpret_cast<const unsigned*>(address);
        const char* const in_begin = static_cast<const char*>(task.in);
        return load_word_within<SIZE>(address, in_begin, in_begin + task.array_bytes);
    }

    __device__ void load() const {
        const char* const in_begin = static_cast<const char*>(task.in);
        const char* const source_end =
            source_row + (rows - 1) * task.cols * element_bytes + cols * element_bytes;
        if (source_row - LOAD_BYTES >= in_begin &&
            source_end + LOAD_BYTES <= in_begin + task.array_bytes) {
            if constexpr (LOADS_VECTORS) {
                load_vectors();
            } else {
                load_rows<true>();
            }
        } else {
            load_rows<false>();
        }
    }
    /// Loads the vectors that contain the rows. A vector may start before the first byte of its
    /// row, or end after the last one.
    __device__ void load_vectors() const {
        constexpr int VECTORS_IN_FLIGHT = 4;
        const int loaded_row_bytes = cols * element_bytes, threads = static_cast<int>(blockDim.x);
        const int vectors_per_row = (loaded_row_bytes + 30) / 16,
                  total_vectors = rows * vectors_per_row;
        const transposing::Divider row_divider(vectors_per_row);
        const std::int64_t row_bytes = task.cols * element_bytes;
        for (int first_vector_index = threadIdx.x; first_vector_index < total_vectors;
             first_vector_index += threads * VECTORS_IN_FLIGHT) {
            Vector<16> vector[VECTORS_IN_FLIGHT];
            int tile_offset[VECTORS_IN_FLIGHT];
#pragma unroll
            for (int k = 0; k < VECTORS_IN_FLIGHT; ++k) {
                const int vector_index = first_vector_index + k * threads,
                          y = row_divider.quotient(vector_index);
                const int row_offset = (vector_index - y * vectors_per_row) * 16;
                const char* const row_start = source_row + y * row_bytes;
                const int misaligned_bytes = static_cast<int>(misaligned_bytes_of(row_start, 16));
                const bool is_inside_row =
                    y < rows && row_offset < loaded_row_bytes + misaligned_bytes;
                tile_offset[k] = is_inside_row ? y * task.pitch * 4 + row_offset : -1;
                if (is_inside_row)
                    vector[k] =
                        transposing::load_vector<16>(row_start - misaligned_bytes + row_offset);
            }
#pragma unroll
            for (int k = 0; k < VECTORS_IN_FLIGHT; ++k) {
                if (tile_offset[k] >= 0)
                    transposing::store_vector(tile + tile_offset[k], vector[k]);
            }
        }
    }
    /// Loads rows. Each warp takes 32 words of a row.
    template <bool IS_INNER>
    __device__ void load_rows() const {
        const int loaded_row_bytes = cols * element_bytes, lane = threadIdx.x % 32,
                  warp = threadIdx.x / 32;
        const int chunks_per_row = (loaded_row_bytes + LOAD_BYTES - SIZE + 127) / 128,
                  warps = blockDim.x / 32;
        const int row_step = warps / chunks_per_row, chunk_step = warps % chunks_per_row;
        const std::int64_t row_bytes = task.cols * element_bytes;
        int y = warp / chunks_per_row, chunk = warp % chunks_per_row;
        while (y < rows) {
            unsigned word[LOADS_IN_FLIGHT];
            int tile_offset[LOADS_IN_FLIGHT];
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
                const char* const row_start = source_row + y * row_bytes;
                const int misaligned_bytes =
                    SIZE == LOAD_BYTES
                        ? 0
                        : static_cast<int>(misaligned_bytes_of(row_start, LOAD_BYTES));
                const int row_offset = chunk * 128 + lane * 4;
                const bool is_inside_row =
                    y < rows && row_offset < loaded_row_bytes + misaligned_bytes;
                tile_offset[k] = is_inside_row ? y * task.pitch * 4 + row_offset : -1;
                if (is_inside_row)
                    word[k] = load_word<IS_INNER>(row_start - misaligned_bytes + row_offset);
                chunk += chunk_step;
                y += row_step;
                if (chunk >= chunks_per_row) {
                    chunk -= chunks_per_row;
                    ++y;
                }
            }
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
                if (tile_offset[k] >= 0)
                    transposing::element<4>(tile + tile_offset[k], 0) = word[k];
            }
        }
    }

    /// Stores the tile. Each warp takes 32 words of a column.
    __device__ void store() const {
        const int extra_rows = row < task.extra_rows ? 0 : task.extra_rows;
        const transposing::Divider unit_divider(task.units);
        const int words_per_column = task.tile_rows * element_bytes / 4, lane = threadIdx.x % 32,
                  warp = threadIdx.x / 32;
        const int chunks_per_column = (words_per_column + 31) / 32,
                  col_step = static_cast<int>(blockDim.x) / 32 / chunks_per_column;
        const int first_col = warp / chunks_per_column;
        if (first_col >= col_step) return;
        const std::int64_t col_bytes = task.rows * element_bytes;
        char* const out = static_cast<char*>(task.out) + matrix_offset +
                          (col + first_col) * col_bytes + row * element_bytes;
        // A warp stores one column after another, with the same lanes. If all of these columns have
        // the same offset within a sector, shifting the lanes by this offset lets them store whole
        // sectors.
        const bool are_columns_aligned_alike = col_step * col_bytes % 32 == 0;
        const int misaligned_words =
            are_columns_aligned_alike ? static_cast<int>(misaligned_bytes_of(out, 32)) / 4 : 0;
        int word = warp % chunks_per_column * 32 + lane;
        if (words_per_column + misaligned_words <= chunks_per_column * 32) word -= misaligned_words;
        if (word < 0 || word >= words_per_column) return;
        const int misaligned_units =
            SIZE == 4 ? 0 : static_cast<int>(misaligned_bytes_of(out, 4)) / SIZE;
        // The first unit of this lane's word, counted from the tile's first unit. It is negative if
        // the unit is in the row before the tile.
        const int first_unit = word * ELEMENTS_PER_WORD - misaligned_units;
        int tile_offset[ELEMENTS_PER_WORD];
#pragma unroll
        for (int k = 0; k < ELEMENTS_PER_WORD; ++k) {
            const int y = unit_divider.quotient(first_unit + k + EXTRA_ROWS * task.units) -
                          EXTRA_ROWS + extra_rows;
            const int unit = first_unit + k - (y - extra_rows) * task.units;
            tile_offset[k] =
                y * task.pitch * 4 + static_cast<int>(count_misaligned_row_bytes(y)) + unit * SIZE;
        }
        // Find which units of the word belong to the matrix.
        const std::int64_t units_before = -(row * task.units + first_unit);
        const std::int64_t units_left = (task.rows - row) * task.units - first_unit;
        if (units_before <= 0 && units_left >= ELEMENTS_PER_WORD) {
            store_words(out + first_unit * SIZE, tile_offset, first_col, col_step);
        } else if (units_left > 0) {
            store_units(out + first_unit * SIZE, tile_offset, first_col, col_step, units_before,
                        units_left);
        }
    }
    __device__ void store_words(char* target, const int (&tile_offset)[ELEMENTS_PER_WORD],
                                int first_col, int col_step) const {
        const char* source = tile + first_col * element_bytes;
        const std::int64_t step_bytes = col_step * task.rows * element_bytes;
#ifndef __clang__  // clang cannot unroll this loop and would print a warning
#    pragma unroll 4
#endif
        for (int x = first_col; x < cols; x += col_step) {
            unsigned word = 0;
#pragma unroll
            for (int k = 0; k < ELEMENTS_PER_WORD; ++k) {
                word |=
                    static_cast<unsigned>(transposing::element<SIZE>(source + tile_offset[k], 0))
                    << (8 * SIZE * k % 32);
            }
            *reinterpret_cast<unsigned*>(target) = word;
            source += col_step * element_bytes;
            target += step_bytes;
        }
    }
    /// Stores words in which only some units belong to the matrix.
    __device__ void store_units(char* target, const int (&tile_offset)[ELEMENTS_PER_WORD],
                                int first_col, int col_step, std::int64_t units_before,
                                std::int64_t units_left) const {
        const char* source = tile + first_col * element_bytes;
        for (int x = first_col; x < cols; x += col_step) {
#pragma unroll
            for (int k = 0; k < ELEMENTS_PER_WORD; ++k) {
                if (k < units_before || k >= units_left) continue;
                transposing::element<SIZE>(target, k) =
                    transposing::element<SIZE>(source + tile_offset[k], 0);
            }
            source += col_step * element_bytes;
            target += col_step * task.rows * element_bytes;
        }
    }
};

template <int SIZE, bool LOADS_VECTORS>
__global__ void __launch_bounds__(LOADS_VECTORS ? 512 : 1024)
    compound_kernel(const CompoundTask task) {
    extern __shared__ uint4 shared[];
    const CompoundKernel<SIZE, LOADS_VECTORS> compound(task, reinterpret_cast<char*>(shared));
    compound.load();
    __syncthreads();
    compound.store();
}

}  // namespace coalesce::permuting
