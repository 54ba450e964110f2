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

/// Returns a failure for each cost that exceeds its limit, the most important one first. The kernel
/// must be correct.
std::vector<Failure> find_exceeded_limits(const Verdict& verdict, const LaunchShape& launch,
                                          const Limits& limits, const RelaunchFunction& relaunch);

/// Returns a failure for each kind of access, such as loads from shared memory, that is too
/// expensive. A kind is too expensive if an average request costs more than the limit, and all
/// requests together cost more than those of the solution. Kinds of access without a limit are not
/// checked.
std::vector<Failure> find_costly_requests(const Verdict& verdict, const Limits& limits);

/// Returns a failure if the kernel's accesses cost far more than the solution's. This check is
/// intended for shapes on which the costs of good kernels differ, such as shapes with partial
/// tiles. The failure's headline ends with `costs_elsewhere`, such as "On smaller matrices the
/// kernel costs less."
std::optional<Failure> find_excess_over_solution(const Verdict& verdict,
                                                 const std::string& costs_elsewhere);

// ---- overlap.cpp: whether a warp's accesses to global memory overlap ----

/// Returns a failure if a barrier or a store between the kernel's loads prevents the loads from
/// overlapping. Other causes are not reported, such as a loop that the compiler did not unroll.
std::optional<Failure> find_loads_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Returns a failure if fewer bytes of asynchronous copies than the lesson requires are in flight
/// when the kernel reads a tile.
std::optional<Failure> find_copies_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Returns a failure if the lesson requires asynchronous copies and the kernel makes none.
std::optional<Failure> find_copies_not_async(const Verdict& verdict, const Limits& limits);

// ---- too_slow.cpp: limits on the predicted time ----

/// Returns a failure if the predicted speed is below the lesson's limit, even after allowing for
/// the error of the model. Returns nothing if the kernel has a property that the model does not
/// cover, because the kernel may then be faster than predicted.
std::optional<Failure> find_slow_prediction(const Verdict& verdict, const Limits& limits);
/// Returns the failure to report if the solution's time can be predicted, but the kernel's time
/// cannot.
Failure explain_missing_prediction(const std::string& file, Shape shape);

// ---- block_order.cpp ----
//
// Checks which tile each block takes. The elements that a block stores identify its tile. On a real
// GPU, the order in which blocks take the tiles affects the time, but the counters of the simulated
// GPU do not depend on it.

/// An order in which the blocks take the tiles.
struct BlockOrder {
    const char* name;  ///< the order's name in exercise.toml, one of kBlockOrders
    /// Returns the coordinates of the tile that block (x, y) takes in a grid of `tile_cols` x
    /// `tile_rows` blocks. Null if the order has no formula. In that case, most pairs of
    /// consecutive blocks must take tiles that differ in both row and column.
    Cell (*tile_for_block)(int x, int y, int tile_cols, int tile_rows);
    Shape shape;         ///< the shape to check; the kernel is launched once per checked block
    int tile = 32;       ///< side of a tile
    int max_blocks = 0;  ///< number of blocks to check, spread over the grid; 0 for all
};

/// Returns the order with this name, or nullptr if `name` is empty. Throws std::invalid_argument if
/// there is no such order.
const BlockOrder* find_block_order(const std::string& name);

/// Returns a failure for the first block that does not take the tile that `block_order` prescribes.
/// Launches the kernel once per checked block. Returns nothing if the order is correct, or if the
/// grid has too many blocks to check.
std::optional<Failure> find_wrong_block_order(
    const BlockOrder& block_order, const std::string& file_name,
    const std::function<Trial(const TrialRequest&)>& launch);

}  // namespace coalesce
