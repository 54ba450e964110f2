/// \file
/// The work of one launch of `transpose`, and the choice of a tile for each block.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace coalesce::transposing {

/// The work of one launch and its division into tiles. Each block takes one tile.
struct Task {
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
    /// Whether strips of tiles are processed in the order that spread_strip() returns.
    bool are_strips_spread;
    /// The number of strips of tiles that are processed together.
    unsigned strips_in_group;
};

/// The tile of a block.
struct TileOrigin {
    std::int64_t row, col;  ///< the position of the tile's first element
    std::int64_t batch;     ///< the number of the matrix
};

/// Returns the index of the strip that is processed at position `strip`. In each group of 64
/// strips, the order is 0, 32, 1, 33, and so on. Strips that are read at the same time are then far
/// apart, so they use different memory channels.
__host__ __device__ inline unsigned spread_strip(unsigned strip, unsigned strips) {
    if ((strip | 63) >= strips) return strip;
    return (strip & ~63u) | (strip & 1) << 5 | (strip & 63) >> 1;
}

/// Returns the tile of this block. Blocks are numbered in one dimension, because only the x axis of
/// a grid can have 2^31 blocks.
__device__ inline TileOrigin find_tile_of_block(const Task& task, int tile_rows, int tile_cols) {
    const unsigned inner_tiles = task.is_down_first ? task.tiles_down : task.tiles_across;
    const unsigned outer_tiles = task.is_down_first ? task.tiles_across : task.tiles_down;
    const unsigned tile_line = blockIdx.x / inner_tiles;
    const unsigned batch = tile_line / outer_tiles;
    const std::int64_t inner_index = blockIdx.x - tile_line * inner_tiles;
    const std::int64_t outer_index = tile_line - batch * outer_tiles;
    return {(task.is_down_first ? inner_index : outer_index) * tile_rows,
            (task.is_down_first ? outer_index : inner_index) * tile_cols, batch};
}

/// Returns the tile of this block for kernels that process several strips together.
__device__ inline TileOrigin find_tile_in_strip_group(const Task& task, int tile_rows,
                                                      int tile_cols) {
    const unsigned inner_tiles = task.is_down_first ? task.tiles_down : task.tiles_across;
    const unsigned outer_tiles = task.is_down_first ? task.tiles_across : task.tiles_down;
    const unsigned tiles = inner_tiles * outer_tiles;
    const unsigned batch = blockIdx.x / tiles, tile = blockIdx.x - batch * tiles;
    const unsigned group = tile / (task.strips_in_group * inner_tiles),
                   index_in_group = tile - group * task.strips_in_group * inner_tiles;
    const unsigned strips_left = outer_tiles - group * task.strips_in_group;
    const unsigned group_width =
        strips_left < task.strips_in_group ? strips_left : task.strips_in_group;
    const std::int64_t inner_index = index_in_group / group_width;
    const std::int64_t outer_index = group * task.strips_in_group + index_in_group % group_width;
    return {(task.is_down_first ? inner_index : outer_index) * tile_rows,
            (task.is_down_first ? outer_index : inner_index) * tile_cols, batch};
}

/// Returns the tile of this block for kernels whose strips may be spread.
__device__ inline TileOrigin find_tile_in_spread_strips(const Task& task, int tile_rows,
                                                        int tile_cols) {
    TileOrigin origin = find_tile_of_block(task, tile_rows, tile_cols);
    if (task.are_strips_spread) {
        const auto strip = static_cast<unsigned>(origin.col / tile_cols);
        origin.col = std::int64_t{spread_strip(strip, task.tiles_across)} * tile_cols;
    }
    return origin;
}

}  // namespace coalesce::transposing
