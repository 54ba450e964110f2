/// \file
/// The work of one launch of `transpose`, and which tile of it a block takes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace coalesce::transposing {

/// One launch: what is to be moved, and how it is divided into tiles, one for each block.
struct Task {
    void* out;
    const void* in;
    std::int64_t rows, cols;
    std::int64_t out_pitch, in_pitch;
    std::int64_t out_stride, in_stride;
    std::int64_t batches;
    unsigned tiles_down, tiles_across;  ///< of one matrix
    int tile_rows, tile_cols;           ///< for kernels whose tiles have no fixed size
    int stack;                          ///< matrices that a block takes at once
    bool is_down_first;                 ///< neighbouring blocks have tiles below each other
    bool is_spread;                     ///< strips of tiles are taken 32 strips apart, not in order
    unsigned group;                     ///< strips of tiles that are taken side by side
};

/// The tile of a block.
struct Place {
    std::int64_t row, col;  ///< of its first element
    std::int64_t batch;     ///< which matrix
};

/// Strips of tiles, 64 at a time: 0, 32, 1, 33, ... With strips of 256 bytes, those that are read at the
/// same time are 8 KB apart. Where rows are a multiple of 128 KB apart, neighbouring strips ask the
/// same channels of memory for all of their rows; these do not. Incomplete groups stay in order.
__host__ __device__ inline unsigned spread_strip(unsigned strip, unsigned strips) {
    if ((strip | 63) >= strips) return strip;
    return (strip & ~63u) | (strip & 1) << 5 | (strip & 63) >> 1;
}

/// Blocks are numbered in one dimension, which is the only one that has room for 2^31 of them.
__device__ inline Place place_of_block(const Task& task, int tile_rows, int tile_cols) {
    const unsigned inner = task.is_down_first ? task.tiles_down : task.tiles_across;
    const unsigned outer = task.is_down_first ? task.tiles_across : task.tiles_down;
    const unsigned line = blockIdx.x / inner;
    const unsigned batch = line / outer;
    const std::int64_t fast = blockIdx.x - line * inner;
    const std::int64_t slow = line - batch * outer;
    return {(task.is_down_first ? fast : slow) * tile_rows,
            (task.is_down_first ? slow : fast) * tile_cols, batch};
}

/// The same for kernels whose strips are taken a few side by side.
__device__ inline Place place_of_grouped_block(const Task& task, int tile_rows, int tile_cols) {
    const unsigned inner = task.is_down_first ? task.tiles_down : task.tiles_across;
    const unsigned outer = task.is_down_first ? task.tiles_across : task.tiles_down;
    const unsigned tiles = inner * outer;
    const unsigned batch = blockIdx.x / tiles, tile = blockIdx.x - batch * tiles;
    const unsigned group = tile / (task.group * inner),
                   in_group = tile - group * task.group * inner;
    const unsigned left = outer - group * task.group;
    const unsigned width = left < task.group ? left : task.group;
    const std::int64_t fast = in_group / width;
    const std::int64_t slow = group * task.group + in_group % width;
    return {(task.is_down_first ? fast : slow) * tile_rows,
            (task.is_down_first ? slow : fast) * tile_cols, batch};
}

/// The same for kernels whose strips may be spread.
__device__ inline Place place_of_spread_block(const Task& task, int tile_rows, int tile_cols) {
    Place place = place_of_block(task, tile_rows, tile_cols);
    if (task.is_spread) {
        const auto strip = static_cast<unsigned>(place.col / tile_cols);
        place.col = std::int64_t{spread_strip(strip, task.tiles_across)} * tile_cols;
    }
    return place;
}

}  // namespace coalesce::transposing
