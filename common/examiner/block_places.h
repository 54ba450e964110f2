// Which cells the blocks of a launch take, seen from what their warps load and store.
#pragma once

#include <optional>

#include "examiner/trial.h"
#include "harness/problem.h"

namespace coalesce {

/// A block of a grid.
struct Block {
    long long x = 0, y = 0, z = 0;

    /// "block (1, 0)"
    std::string text() const;
};

/// An element of the input, by its place in memory, and the line that loads it.
struct Loaded {
    std::int64_t element = 0;
    int line = 0;
};
/// The first that the traced warp loads; nothing when it loads none.
std::optional<Loaded> first_load(const Trial& trial);

/// Two blocks that store into the same cell of the output.
struct Meeting {
    Block first, second;
    std::int64_t element = 0;  ///< the cell, by its place in memory
};
/// What the blocks of a launch store.
struct BlockStores {
    std::optional<Meeting> meeting;   ///< the first that is seen
    std::optional<Block> first_idle;  ///< the first block that stores nothing
    long long idle = 0;               ///< so many store nothing
};
/// Launches once for each block, until two meet; nothing when there are too many of them.
std::optional<BlockStores> block_stores(Shape shape, const LaunchShape& launch,
                                        const TryAgain& try_again);

/// How many elements the first warp of the first block stores.
std::size_t stored_by_first_warp(Shape shape, const TryAgain& try_again);

/// Where blocks begin in the input, if each is as far from the one before as all others.
struct BlockOrigins {
    Shape shape{0, 0};           ///< of the input
    Cell first, next_x, next_y;  ///< of blocks (0, 0), (1, 0) and (0, 1)

    /// From a block to the next one along x.
    Cell step_x() const { return {next_x.row - first.row, next_x.col - first.col}; }
    /// From a block to the next one along y.
    Cell step_y() const { return {next_y.row - first.row, next_y.col - first.col}; }
    /// A sentence that says it.
    std::string text() const;
};
/// Nothing when blocks have no such places.
std::optional<BlockOrigins> block_origins(Shape shape, const LaunchShape& launch,
                                          const TryAgain& try_again);

}  // namespace coalesce
