// Compares a kernel's costs with what the lesson allows.
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

/// Returns the costs that exceed their limits, the worst first. The kernel must be right.
std::vector<Failure> too_dear(const Verdict& verdict, const LaunchShape& launch,
                              const Limits& limits, const TryAgain& try_again);

// ---- overlap.cpp: whether what a warp asks of global memory is under way together, or one after the other ----

/// Finds loads that wait for each other because of a barrier or a store between them in the source. A loop that the
/// compiler did not unroll waits as well, but the lessons do not ask about that.
std::optional<Failure> loads_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Finds kernels that wait for all asynchronous copies before they read a tile, although the lesson asks them to keep
/// some in flight.
std::optional<Failure> copies_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Finds kernels without asynchronous copies, if the lesson asks for some.
std::optional<Failure> copies_not_async(const Verdict& verdict, const Limits& limits);

// ---- too_slow.cpp: what the model of time says ----

/// Finds kernels that are slower, as a fraction of a copy's speed, than the lesson allows, even at the favourable end
/// of the model's error band. Returns nothing if the model does not cover something that could make the kernel
/// faster.
std::optional<Failure> too_slow_predicted(const Verdict& verdict, const Limits& limits);
/// Returns the failure for a kernel whose time cannot be predicted although the solution's can.
Failure not_predicted(const std::string& file, Shape shape);

// ---- block_order.cpp ----
//
// Which tile each block takes: seen from the first address that it loads. Two kernels whose blocks take other
// tiles cost the same on the simulated GPU, and not on a real one.

/// An order in which blocks take tiles.
struct BlockOrder {
    const char* name;  ///< its name in exercise.toml, one of kBlockOrders
    /// Returns the row and column of the tile that block (x, y) takes in a grid of `wide` x `tall` blocks. Null
    /// stands for any order in which most blocks change both the row and the column of the previous block.
    Cell (*tile_of)(int x, int y, int wide, int tall);
    Shape shape;          ///< the shape to check it on; each block takes a launch
    int tile = 32;        ///< side of a tile
    int most_blocks = 0;  ///< number of blocks to check, spread over the grid; 0: all
};

/// Returns the order of this name, or nullptr for "".
const BlockOrder* block_order_called(const std::string& name);

/// Finds the first block that takes a tile other than the order's, by launching the kernel once for each block to
/// check. Returns nothing if the order is right, or if there are more blocks than tiles need.
std::optional<Failure> wrong_block_order(const BlockOrder& order, const std::string& file_name,
                                         const std::function<Trial(const TrialOrder&)>& launch);

}  // namespace coalesce
