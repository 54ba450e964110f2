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

/// Returns a failure for each cost that exceeds its limit, the worst one first. The kernel must be
/// correct.
std::vector<Failure> find_exceeded_limits(const Verdict& verdict, const LaunchShape& launch,
                                          const Limits& limits, const RelaunchFunction& relaunch);

/// Returns a failure for each kind of access that costs more per request than its limit and more in
/// total than in the solution. Kinds without a limit are not checked.
std::vector<Failure> find_costly_requests(const Verdict& verdict, const Limits& limits);

/// Returns a failure if the kernel's accesses cost far more than the solution's. Meant for shapes
/// on which good kernels differ in cost, such as those with partial tiles. The failure's headline
/// ends with `costs_elsewhere`, such as "On smaller matrices the kernel costs less."
std::optional<Failure> find_excess_over_solution(const Verdict& verdict,
                                                 const std::string& costs_elsewhere);

// ---- overlap.cpp: whether a warp's accesses to global memory overlap ----

/// Returns a failure if the kernel's loads cannot overlap because there is a barrier or a store
/// between them in the source, or a barrier in the compiled kernel. Other causes are not reported,
/// such as a loop that the compiler did not unroll.
std::optional<Failure> find_loads_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Returns a failure if the kernel waits for all asynchronous copies before it reads a tile,
/// although the lesson requires some copies to stay in flight at that point.
std::optional<Failure> find_copies_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Returns a failure if the lesson requires asynchronous copies and the kernel makes none.
std::optional<Failure> find_copies_not_async(const Verdict& verdict, const Limits& limits);

// ---- too_slow.cpp: limits on the predicted time ----

/// Returns a failure if the predicted speed, relative to a copy, is below the lesson's limit even
/// at the upper end of the model's error band. Returns nothing if the kernel might be faster than
/// predicted because it has a property that the model does not cover.
std::optional<Failure> find_slow_prediction(const Verdict& verdict, const Limits& limits);
/// Returns the failure for a kernel whose time cannot be predicted, although the solution's time
/// can be.
Failure explain_missing_prediction(const std::string& file, Shape shape);

// ---- block_order.cpp ----
//
// Checks which tile each block takes. The first address that a block loads identifies its tile. Two
// kernels that assign tiles to blocks differently have the same cost on the simulated GPU, but not
// on a real GPU.

/// An order in which the blocks take the tiles.
struct BlockOrder {
    const char* name;  ///< the order's name in exercise.toml, one of kBlockOrders
    /// Returns the coordinates of the tile that block (x, y) takes in a grid of `wide` x `tall`
    /// blocks. Null if the order has no formula. For most blocks, the next block must then take a
    /// tile in a different row and a different column.
    Cell (*tile_for_block)(int x, int y, int wide, int tall);
    Shape shape;         ///< the shape to check; the kernel is launched once per checked block
    int tile = 32;       ///< side of a tile
    int max_blocks = 0;  ///< number of blocks to check, spread over the grid; 0 for all
};

/// Returns the order with this name, or nullptr if `name` is empty.
const BlockOrder* find_block_order(const std::string& name);

/// Returns a failure for the first block that does not take the tile that `order` prescribes.
/// Launches the kernel once per checked block. Returns nothing if the order is correct, or if the
/// grid has too many blocks to check.
std::optional<Failure> find_wrong_block_order(
    const BlockOrder& order, const std::string& file_name,
    const std::function<Trial(const TrialRequest&)>& launch);

}  // namespace coalesce
