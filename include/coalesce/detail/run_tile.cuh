/// \file
/// The kernel for transposes whose rows and columns may each span several axes. It moves one
/// element at a time.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gather.cuh"
#include "permute_plan.cuh"

namespace coalesce::permuting {

/// A run of elements that are adjacent in one of the two arrays. The run covers the last axes of
/// that array. `axis` lists these axes.
struct Run {
    int axes;
    std::int64_t size;         ///< the number of elements, which is the product of the axes' sizes
    Axis axis[max_plan_axes];  ///< the axes, outermost first; their steps refer to the other array
    int log_side;              ///< log2 of the number of elements in a side of a tile
    int vectors;               ///< the number of vectors in a side, if tiles consist of vectors
    unsigned sides;            ///< the number of tiles along the run
};

/// The division of a plan into tiles. Elements in a row of a tile are adjacent in `in`, and
/// elements in a column of a tile are adjacent in `out`. The remaining axes form a batch of
/// matrices.
struct Tiling {
    void* out;
    const void* in;
    Run rows, cols;
    int axes;
    unsigned size[max_plan_axes];  ///< the sizes of the other axes, outermost first
    std::int64_t in_step[max_plan_axes], out_step[max_plan_axes];
    /// Whether consecutive blocks go along a row of tiles instead of down a column of tiles.
    bool is_across_first;
};

/// The base-2 logarithms of the number of elements in a tile, and of the lengths of its longest and
/// shortest sides.
template <int SIZE>
constexpr int log_tile_elements = SIZE == 16 ? 11 : 12;
constexpr int log_max_side = 8, log_min_side = 4;
static_assert(threads == 1 << log_max_side,
              "a block needs a thread for each element of the longest side");

/// Returns the offset in the other array of element `number` of the run.
__device__ inline std::int64_t offset_within(const Run& run, std::int64_t number) {
    std::int64_t offset = 0;
    auto remaining_number = static_cast<unsigned>(number);
    for (int k = run.axes - 1; k > 0; --k) {
        const unsigned outer = quotient(remaining_number, run.axis[k]);
        offset +=
            (remaining_number - outer * static_cast<unsigned>(run.axis[k].size)) * run.axis[k].step;
        remaining_number = outer;
    }
    return offset + remaining_number * run.axis[0].step;
}

/// The tile of a block.
struct BlockTile {
    std::int64_t row, col;  ///< the position of the tile's first element in the two runs
    std::int64_t from,
        to;  ///< the offset of column `col` in `in`, and that of row `row` in `out`
};

__device__ inline BlockTile find_block_tile(const Tiling& tiling, int rows, int cols) {
    const unsigned inner_sides = tiling.is_across_first ? tiling.cols.sides : tiling.rows.sides;
    const unsigned outer_sides = tiling.is_across_first ? tiling.rows.sides : tiling.cols.sides;
    const unsigned tile_line = blockIdx.x / inner_sides,
                   inner_side = blockIdx.x - tile_line * inner_sides;
    unsigned number = tile_line / outer_sides;
    const unsigned outer_side = tile_line - number * outer_sides;
    const std::int64_t row = std::int64_t{tiling.is_across_first ? outer_side : inner_side} * rows;
    const std::int64_t col = std::int64_t{tiling.is_across_first ? inner_side : outer_side} * cols;
    BlockTile tile{row, col, col, row};
    for (int k = tiling.axes - 1; k >= 0; --k) {
        const unsigned outer = number / tiling.size[k], inner = number - outer * tiling.size[k];
        tile.from += inner * tiling.in_step[k];
        tile.to += inner * tiling.out_step[k];
        number = outer;
    }
    return tile;
}

/// Returns the distance between rows of a tile in shared memory, which spreads each column over all
/// banks.
template <int SIZE>
__host__ __device__ constexpr int shared_pitch(int log_cols) {
    return (1 << log_cols) + (SIZE < 4 ? 4 / SIZE : 1);
}

/// Transposes one tile per block through shared memory, so that both arrays are accessed along
/// runs.
template <int SIZE>
__global__ void __launch_bounds__(threads) tile_kernel(const Tiling tiling) {
    constexpr int COUNT = (1 << log_tile_elements<SIZE>) / threads;
    extern __shared__ uint4 shared[];
    __shared__ std::int64_t row_offsets[threads], col_offsets[threads];
    char* const tile = reinterpret_cast<char*>(shared);
    const int log_rows = tiling.rows.log_side, log_cols = tiling.cols.log_side;
    const int pitch = shared_pitch<SIZE>(log_cols);

    const auto [row, col, from, to] = find_block_tile(tiling, 1 << log_rows, 1 << log_cols);
    const auto rows_left = tiling.rows.size - row, cols_left = tiling.cols.size - col;
    const int thread = threadIdx.x;
    if (thread < 1 << log_rows && thread < rows_left) {
        row_offsets[thread] = from + offset_within(tiling.rows, row + thread);
    }
    if (thread < 1 << log_cols && thread < cols_left) {
        col_offsets[thread] = to + offset_within(tiling.cols, col + thread);
    }
    __syncthreads();
    {
        const int x = thread & ((1 << log_cols) - 1), y = thread >> log_cols;
        Element<SIZE> value[COUNT] = {};
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const int tile_row = y + (i << (log_max_side - log_cols));
            if (x < cols_left && tile_row < rows_left) {
                value[i] = static_cast<const Element<SIZE>*>(tiling.in)[row_offsets[tile_row] + x];
            }
        }
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const int tile_row = y + (i << (log_max_side - log_cols));
            transposing::element<SIZE>(tile, tile_row * pitch + x) = value[i];
        }
    }
    __syncthreads();
    const int y = thread & ((1 << log_rows) - 1), x = thread >> log_rows;
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const int tile_col = x + (i << (log_max_side - log_rows));
        if (tile_col >= cols_left || y >= rows_left) continue;
        static_cast<Element<SIZE>*>(tiling.out)[col_offsets[tile_col] + y] =
            transposing::element<SIZE>(tile, y * pitch + tile_col);
    }
}

}  // namespace coalesce::permuting
