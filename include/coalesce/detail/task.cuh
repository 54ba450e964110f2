/// \file
/// The work of one launch of `transpose`, and the choice of a tile for each block.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace coalesce::transposing {

/// The work of one launch and its division into tiles. Each block takes one tile.
struct TransposeTask {
    void* out;
    const void* in;
    std::int64_t rows, cols;
    std::int64_t out_pitch, in_pitch;
    std::int64_t out_stride, in_stride;
    std::int64_t batches;
    unsigned tiles_down, tiles_across;  ///< number of tiles per matrix
    int tile_rows, tile_cols;           ///< size of a tile, for kernels without a fixed tile size
    int matrices_per_block;             ///< the number of matrices per block
    bool is_down_first;                 ///< whether consecutive blocks go down a column of tiles
    bool has_fast_memory;  ///< whether the device's memory counts as fast (see device.cuh)
    /// Whether strips of tiles are processed in the order that spread_strip_index() defines.
    bool spreads_strips;
    /// The number of strips of tiles that are processed together.
    unsigned strips_in_group;
};

/// The tile of a block.
struct TileOrigin {
    std::int64_t row, col;      ///< the position of the tile's first element
    std::int64_t matrix_index;  ///< the index of the matrix in the batch
};

/// Returns the index of the strip that is processed at `position`. In each group of 64
/// strips, the order is 0, 32, 1, 33, and so on. Strips that are read at the same time are then far
/// apart, so they use different memory channels.
__host__ __device__ inline unsigned spread_strip_index(unsigned position, unsigned strip_count) {
    if ((position | 63) >= strip_count) return position;
    return (position & ~63u) | (position & 1) << 5 | (position & 63) >> 1;
}

/// Returns the tile of this block. Blocks are numbered in one dimension, because only the x axis of
/// a grid can have 2^31 blocks.
__device__ inline TileOrigin find_tile_of_block(const TransposeTask& task, int tile_rows,
                                                int tile_cols) {
    const unsigned tiles_per_strip = task.is_down_first ? task.tiles_down : task.tiles_across;
    const unsigned strips_per_matrix = task.is_down_first ? task.tiles_across : task.tiles_down;
    const unsigned strip_index = blockIdx.x / tiles_per_strip;
    const unsigned matrix_index = strip_index / strips_per_matrix;
    const std::int64_t index_in_strip = blockIdx.x - strip_index * tiles_per_strip;
    const std::int64_t strip_in_matrix = strip_index - matrix_index * strips_per_matrix;
    return {(task.is_down_first ? index_in_strip : strip_in_matrix) * tile_rows,
            (task.is_down_first ? strip_in_matrix : index_in_strip) * tile_cols, matrix_index};
}

/// Returns the tile of this block for kernels that process several strips together.
__device__ inline TileOrigin find_tile_in_strip_group(const TransposeTask& task, int tile_rows,
                                                      int tile_cols) {
    const unsigned tiles_per_strip = task.is_down_first ? task.tiles_down : task.tiles_across;
    const unsigned strips_per_matrix = task.is_down_first ? task.tiles_across : task.tiles_down;
    const unsigned tiles_per_matrix = tiles_per_strip * strips_per_matrix;
    const unsigned matrix_index = blockIdx.x / tiles_per_matrix,
                   tile_index = blockIdx.x - matrix_index * tiles_per_matrix;
    const unsigned group_index = tile_index / (task.strips_in_group * tiles_per_strip),
                   index_in_group =
                       tile_index - group_index * task.strips_in_group * tiles_per_strip;
    const unsigned strips_left = strips_per_matrix - group_index * task.strips_in_group;
    const unsigned strips_in_this_group =
        strips_left < task.strips_in_group ? strips_left : task.strips_in_group;
    const std::int64_t index_in_strip = index_in_group / strips_in_this_group;
    const std::int64_t strip_in_matrix =
        group_index * task.strips_in_group + index_in_group % strips_in_this_group;
    return {(task.is_down_first ? index_in_strip : strip_in_matrix) * tile_rows,
            (task.is_down_first ? strip_in_matrix : index_in_strip) * tile_cols, matrix_index};
}

/// Returns the tile of this block for kernels whose strips may be spread.
__device__ inline TileOrigin find_tile_in_spread_strips(const TransposeTask& task, int tile_rows,
                                                        int tile_cols) {
    TileOrigin origin = find_tile_of_block(task, tile_rows, tile_cols);
    if (task.spreads_strips) {
        const auto strip = static_cast<unsigned>(origin.col / tile_cols);
        origin.col = std::int64_t{spread_strip_index(strip, task.tiles_across)} * tile_cols;
    }
    return origin;
}

}  // namespace coalesce::transposing
