// What a kernel costs, compared with what the lesson asks.
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

/// What is more expensive than asked, the worst first; empty when nothing is. The kernel is right.
std::vector<Failure> too_dear(const Verdict& verdict, const LaunchShape& launch,
                              const Limits& limits, const TryAgain& try_again);

// ---- overlap.cpp: whether what a warp asks of global memory is under way together, or one after the other ----

/// Loads that wait for each other, where the text says why: a barrier between them, or a store.
/// A loop that the compiler left as it is waits as well, and is nothing that a lesson asks about.
std::optional<Failure> loads_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Asynchronous copies that are all waited for before a tile is read, where the lesson asks for some
/// that arrive meanwhile.
std::optional<Failure> copies_not_overlapped(const Verdict& verdict, const Limits& limits);

/// No asynchronous copies at all, where the lesson asks for some.
std::optional<Failure> copies_not_async(const Verdict& verdict, const Limits& limits);

// ---- too_slow.cpp: what the model of time says ----

/// Less of a copy's speed than asked, even if the model is off by as much as it may be. Nothing where the
/// model says that there is something it does not know, which may make the kernel faster.
std::optional<Failure> too_slow_predicted(const Verdict& verdict, const Limits& limits);
/// There is no time for it, and there is one for the solution.
Failure not_predicted(const std::string& file, Shape shape);

// ---- block_order.cpp ----
//
// Which tile each block takes: seen from the first address that it loads. Two kernels whose blocks take other
// tiles cost the same on the simulated GPU, and not on a real one.

/// An order in which blocks take tiles.
struct BlockOrder {
    const char* name;  ///< in exercise.toml: one of kBlockOrders
    /// The tile, as its row and column among tiles, of block (x, y) of a grid `wide` x `tall`. Null: any
    /// order in which most blocks take both another row and another column than the block before.
    Cell (*tile_of)(int x, int y, int wide, int tall);
    Shape shape;          ///< the shape on which it is looked at: each block is a launch
    int tile = 32;        ///< the side of a tile
    int most_blocks = 0;  ///< so many are looked at, spread over the grid; 0: all
};

/// The order of that name; nullptr for "".
const BlockOrder* block_order_called(const std::string& name);

/// The first block that takes another tile than the order has for it. Launches once for each block that
/// is looked at. Nothing when all blocks take their tiles, or when there are more blocks than tiles could need.
std::optional<Failure> wrong_block_order(const BlockOrder& order, const std::string& file_name,
                                         const std::function<Trial(const TrialOrder&)>& launch);

}  // namespace coalesce
