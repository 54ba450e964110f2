// Compares a kernel's costs with the limits of the lesson.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "examiner/course/exercise.h"
#include "examiner/trial.h"
#include "examiner/verdict.h"
#include "harness/problem.h"

namespace coalesce {

/// Returns the failures for costs that exceed their limits, the worst first. The kernel must be
/// right.
std::vector<Failure> too_dear(const Verdict& verdict, const LaunchShape& launch,
                              const Limits& limits, const TryAgain& try_again);

// ---- overlap.cpp: whether a warp's accesses to global memory overlap ----

/// Finds loads that wait for each other because there is a barrier or a store between them in the
/// source. Loads in a loop that the compiler did not unroll also wait for each other, but are not
/// reported.
std::optional<Failure> loads_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Finds kernels that wait for all asynchronous copies before they read a tile, although the lesson asks them to keep
/// some in flight.
std::optional<Failure> copies_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Finds kernels without asynchronous copies, if the lesson asks for some.
std::optional<Failure> copies_not_async(const Verdict& verdict, const Limits& limits);

// ---- too_slow.cpp: limits on the predicted time ----

/// Finds kernels whose predicted speed, as a fraction of a copy's speed, is below the limit even at
/// the favourable end of the model's error band. Returns nothing if the model does not cover
/// something that could make the kernel faster.
std::optional<Failure> too_slow_predicted(const Verdict& verdict, const Limits& limits);
/// Returns the failure for a kernel whose time cannot be predicted although the solution's can.
Failure not_predicted(const std::string& file, Shape shape);

// ---- block_order.cpp ----
//
// Checks which tile each block takes, by the first address that the block loads. Two kernels whose
// blocks take different tiles cost the same on the simulated GPU, but not on a real GPU.

/// An order in which blocks take tiles.
struct BlockOrder {
    const char* name;  ///< its name in exercise.toml, one of kBlockOrders
    /// Returns the row and column of the tile that block (x, y) takes in a grid of `wide` x `tall`
    /// blocks. Null allows any order in which most blocks take another row and another column than
    /// the previous block.
    Cell (*tile_of)(int x, int y, int wide, int tall);
    Shape shape;          ///< shape for the check, which launches the kernel for each block
    int tile = 32;        ///< side of a tile
    int most_blocks = 0;  ///< number of blocks to check, spread over the grid; 0 for all
};

/// Returns the order of this name, or nullptr if `name` is empty.
const BlockOrder* block_order_called(const std::string& name);

/// Returns a failure for the first block that does not take the tile that `order` prescribes.
/// Launches the kernel once for each block to check. Returns nothing if the order is right, or if
/// the grid is far too large.
std::optional<Failure> wrong_block_order(const BlockOrder& order, const std::string& file_name,
                                         const std::function<Trial(const TrialOrder&)>& launch);

}  // namespace coalesce
