// Determines which matrix cells each block of a launch loads and stores.
#pragma once

#include <optional>

#include "examiner/trial.h"
#include "harness/problem.h"

namespace coalesce {

/// The coordinates of a block in its grid.
struct Block {
    long long x = 0, y = 0, z = 0;

    /// Returns the coordinates as text, such as "block (1, 0)".
    std::string text() const;
};

/// The index of an element in the input, and the source line that loads the element.
struct LoadedElement {
    std::int64_t element = 0;
    int line = 0;
};
/// Returns the first element that the trial's traced warp loads, or nothing if that warp loads no
/// elements.
std::optional<LoadedElement> find_first_load(const Trial& trial);

/// Two blocks that store to the same cell of the output.
struct StoreConflict {
    Block first_block, second_block;
    std::int64_t element = 0;  ///< index of the cell in the output
};
/// The mistakes in the stores of a launch: a cell that two blocks store to, and blocks that store
/// nothing.
struct BlockStores {
    std::optional<StoreConflict> conflict;  ///< first pair of blocks that store to the same cell
    std::optional<Block> first_idle_block;  ///< the first block that stores nothing
    long long idle_blocks = 0;              ///< number of blocks that store nothing
};
/// Returns the mistakes in the stores of a launch. Launches the kernel once for each warp whose
/// stores are traced, and stops at the first cell that two blocks store to. Returns nothing if the
/// launch has too many warps to trace.
std::optional<BlockStores> trace_block_stores(Shape shape, const LaunchShape& launch,
                                              const RelaunchFunction& relaunch);

/// Returns the number of elements that the first warp of the first block stores.
std::size_t count_first_warp_stores(Shape shape, const RelaunchFunction& relaunch);

/// The input cells at which the blocks of a launch start. The blocks are evenly spaced, so the
/// positions of blocks (0, 0), (1, 0) and (0, 1) determine those of all other blocks.
struct BlockOrigins {
    Shape shape{0, 0};  ///< shape of the input
    /// the input cells at which blocks (0, 0), (1, 0) and (0, 1) start
    Cell origin, next_x, next_y;

    /// Returns the distance, in rows and columns of the matrix, between two blocks that are
    /// neighbours along x.
    Cell step_x() const { return {next_x.row - origin.row, next_x.col - origin.col}; }
    /// Returns the distance, in rows and columns of the matrix, between two blocks that are
    /// neighbours along y.
    Cell step_y() const { return {next_y.row - origin.row, next_y.col - origin.col}; }
    /// Returns a sentence that says where blocks (0, 0), (1, 0) and (0, 1) start.
    std::string text() const;
};
/// Returns the positions of the blocks, or nothing if the blocks are not evenly spaced.
std::optional<BlockOrigins> find_block_origins(Shape shape, const LaunchShape& launch,
                                               const RelaunchFunction& relaunch);

}  // namespace coalesce
