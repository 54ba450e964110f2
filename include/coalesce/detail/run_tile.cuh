/// \file
/// The kernel for transposes whose rows and columns may each consist of several axes. It moves one
/// element at a time.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gather.cuh"
#include "permute_plan.cuh"

namespace coalesce::permuting {

/// A run of elements that are adjacent in one of the two arrays. `axis` lists the axes of the run,
/// which are the last axes of that array.
struct AxisRun {
    int axes;
    std::int64_t size;         ///< the number of elements, which is the product of the axes' sizes
    Axis axis[max_plan_axes];  ///< the axes, outermost first; their steps refer to the other array
    int log_side;              ///< log2 of the number of elements in a side of a tile
    int vectors;               ///< the number of vectors in a side, if tiles consist of vectors
    unsigned tile_count;       ///< the number of tiles along the run
};

/// The division of a plan into tiles. Elements in a row of a tile are adjacent in `in`, and
/// elements in a column of a tile are adjacent in `out`. The axes in neither run form a batch of
/// matrices.
struct Tiling {
    void* out;
    const void* in;
    AxisRun rows, cols;
    int axes;
    unsigned size[max_plan_axes];  ///< the sizes of the other axes, outermost first
    std::int64_t in_step[max_plan_axes], out_step[max_plan_axes];
    /// Whether consecutive blocks go along a row of tiles instead of down a column of tiles.
    bool fills_tile_rows_first;
};

/// The base-2 logarithm of the number of elements in a tile.
template <int SIZE>
constexpr int log_tile_elements = SIZE == 16 ? 11 : 12;
/// The base-2 logarithms of the longest and the shortest side that a tile may have.
constexpr int log_max_side = 8, log_min_side = 4;
static_assert(threads_per_block == 1 << log_max_side,
              "a block needs a thread for each element of the longest side");

/// Returns the offset of an element of the run in the other array. `run_index` is the index of the
/// element in the run.
__device__ inline std::int64_t find_other_array_offset(const AxisRun& run, std::int64_t run_index) {
    std::int64_t other_array_offset = 0;
    auto remaining_index = static_cast<unsigned>(run_index);
    for (int k = run.axes - 1; k > 0; --k) {
        const unsigned outer_index = quotient(remaining_index, run.axis[k]);
        other_array_offset +=
            (remaining_index - outer_index * static_cast<unsigned>(run.axis[k].size)) *
            run.axis[k].step;
        remaining_index = outer_index;
    }
    return other_array_offset + remaining_index * run.axis[0].step;
}

/// The tile of a block.
struct BlockTile {
    std::int64_t row, col;    ///< the position of the tile's first element in the two runs
    std::int64_t in_offset;   ///< the offset of column `col` in `in`
    std::int64_t out_offset;  ///< the offset of row `row` in `out`
};

__device__ inline BlockTile find_block_tile(const Tiling& tiling, int rows, int cols) {
    const unsigned tiles_per_strip =
        tiling.fills_tile_rows_first ? tiling.cols.tile_count : tiling.rows.tile_count;
    const unsigned strips_per_matrix =
        tiling.fills_tile_rows_first ? tiling.rows.tile_count : tiling.cols.tile_count;
    const unsigned strip_index = blockIdx.x / tiles_per_strip,
                   index_in_strip = blockIdx.x - strip_index * tiles_per_strip;
    unsigned matrix_index = strip_index / strips_per_matrix;
    const unsigned strip_in_matrix = strip_index - matrix_index * strips_per_matrix;
    const std::int64_t row =
        std::int64_t{tiling.fills_tile_rows_first ? strip_in_matrix : index_in_strip} * rows;
    const std::int64_t col =
        std::int64_t{tiling.fills_tile_rows_first ? index_in_strip : strip_in_matrix} * cols;
    BlockTile tile{row, col, col, row};
    for (int k = tiling.axes - 1; k >= 0; --k) {
        const unsigned outer_index = matrix_index / tiling.size[k],
                       inner_index = matrix_index - outer_index * tiling.size[k];
        tile.in_offset += inner_index * tiling.in_step[k];
        tile.out_offset += inner_index * tiling.out_step[k];
        matrix_index = outer_index;
    }
    return tile;
}

/// Returns the distance between rows of a tile in shared memory, in elements. The distance spreads
/// each column over all banks.
template <int SIZE>
__host__ __device__ constexpr int shared_pitch(int log_cols) {
    return (1 << log_cols) + (SIZE < 4 ? 4 / SIZE : 1);
}

/// Transposes one tile per block through shared memory, so that both arrays are accessed along
/// runs.
template <int SIZE>
__global__ void __launch_bounds__(threads_per_block) tile_kernel(const Tiling tiling) {
    constexpr int ELEMENTS_PER_THREAD = (1 << log_tile_elements<SIZE>) / threads_per_block;
    extern __shared__ uint4 shared[];
    __shared__ std::int64_t row_offsets[threads_per_block], col_offsets[threads_per_block];
    char* const tile = reinterpret_cast<char*>(shared);
    const int log_rows = tiling.rows.log_side, log_cols = tiling.cols.log_side;
    const int pitch = shared_pitch<SIZE>(log_cols);

    const BlockTile block_tile = find_block_tile(tiling, 1 << log_rows, 1 << log_cols);
    const auto rows_left = tiling.rows.size - block_tile.row,
               cols_left = tiling.cols.size - block_tile.col;
    const int thread = threadIdx.x;
    if (thread < 1 << log_rows && thread < rows_left) {
        row_offsets[thread] =
            block_tile.in_offset + find_other_array_offset(tiling.rows, block_tile.row + thread);
    }
    if (thread < 1 << log_cols && thread < cols_left) {
        col_offsets[thread] =
            block_tile.out_offset + find_other_array_offset(tiling.cols, block_tile.col + thread);
    }
    __syncthreads();
    {
        const int x = thread & ((1 << log_cols) - 1), y = thread >> log_cols;
        Element<SIZE> value[ELEMENTS_PER_THREAD] = {};
#pragma unroll
        for (int i = 0; i < ELEMENTS_PER_THREAD; ++i) {
            const int tile_row = y + (i << (log_max_side - log_cols));
            if (x < cols_left && tile_row < rows_left) {
                value[i] = static_cast<const Element<SIZE>*>(tiling.in)[row_offsets[tile_row] + x];
            }
        }
#pragma unroll
        for (int i = 0; i < ELEMENTS_PER_THREAD; ++i) {
            const int tile_row = y + (i << (log_max_side - log_cols));
            transposing::element<SIZE>(tile, tile_row * pitch + x) = value[i];
        }
    }
    __syncthreads();
    const int y = thread & ((1 << log_rows) - 1), x = thread >> log_rows;
#pragma unroll
    for (int i = 0; i < ELEMENTS_PER_THREAD; ++i) {
        const int tile_col = x + (i << (log_max_side - log_rows));
        if (tile_col >= cols_left || y >= rows_left) continue;
        static_cast<Element<SIZE>*>(tiling.out)[col_offsets[tile_col] + y] =
            transposing::element<SIZE>(tile, y * pitch + tile_col);
    }
}

}  // namespace coalesce::permuting
