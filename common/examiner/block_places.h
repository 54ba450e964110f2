// Finds out which cells the blocks of a launch take, from the loads and stores of their warps.
#pragma once

#include <optional>

#include "examiner/trial.h"
#include "harness/problem.h"

namespace coalesce {

/// The coordinates of a block in its grid.
struct Block {
    long long x = 0, y = 0, z = 0;

    /// Returns "block (1, 0)".
    std::string text() const;
};

/// An element of the input, given by its offset in the matrix, and the source line that loads it.
struct Loaded {
    std::int64_t element = 0;
    int line = 0;
};
/// Returns the first element that the traced warp loads, or nothing if it loads none.
std::optional<Loaded> first_load(const Trial& trial);

/// Two blocks that store to the same cell of the output.
struct Meeting {
    Block first, second;
    std::int64_t element = 0;  ///< offset of the cell in the matrix
};
/// Facts about the stores of a launch, block by block.
struct BlockStores {
    std::optional<Meeting> meeting;   ///< the first such pair
    std::optional<Block> first_idle;  ///< the first block that stores nothing
    long long idle = 0;               ///< number of blocks that store nothing
};
/// Launches the kernel once for each block, until two blocks meet. Returns nothing if there are too many blocks.
std::optional<BlockStores> block_stores(Shape shape, const LaunchShape& launch,
                                        const TryAgain& try_again);

/// Returns the number of elements that the first warp of the first block stores.
std::size_t stored_by_first_warp(Shape shape, const TryAgain& try_again);

/// The first cells of neighbouring blocks in the input. All blocks are spaced as regularly as these.
struct BlockOrigins {
    Shape shape{0, 0};           ///< shape of the input
    Cell first, next_x, next_y;  ///< first cells of blocks (0, 0), (1, 0) and (0, 1)

    /// Returns the distance from a block to the next one along x.
    Cell step_x() const { return {next_x.row - first.row, next_x.col - first.col}; }
    /// Returns the distance from a block to the next one along y.
    Cell step_y() const { return {next_y.row - first.row, next_y.col - first.col}; }
    /// Describes the positions in a sentence.
    std::string text() const;
};
/// Returns the positions, or nothing if the blocks are not spaced regularly.
std::optional<BlockOrigins> block_origins(Shape shape, const LaunchShape& launch,
                                          const TryAgain& try_again);

}  // namespace coalesce
