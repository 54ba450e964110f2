// The barriers of a block, and the reports about barriers that cannot complete.
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

// The handlers of the barrier instructions. Op::a is the index of the barrier (0 to 15), and Op::b
// the number of threads (0 for all threads).

/// Executes bar.sync, which waits.
const Op* op_barrier_sync(Warp& w, const Op* op);
const Op* op_barrier_arrive(Warp& w, const Op* op);  ///< executes bar.arrive, which does not wait
/// Executes bar.red. Op::detail selects the operation, and Op::c is the predicate.
const Op* op_barrier_reduce(Warp& w, const Op* op);

/// The values of Op::detail for op_barrier_reduce.
enum : u8 { kReducePopc, kReduceAnd, kReduceOr };

/// Records that all lanes in the mask of a bar.warp.sync have arrived.
void note_warp_barrier(Warp& w);
/// Releases all barriers and lanes that were waiting only for lanes that have exited. Must be
/// called after lanes of this warp have exited.
void handle_ended_lanes(Warp& w);

void charge_instructions(Warp& w, u64 count);
/// Checks a .sync instruction that `calling_lanes` execute with the mask `named_lanes`. Reports an
/// error if a calling lane is not in the mask, or if the mask of a shuffle contains exited lanes.
void check_mask(Warp& w, const Op* op, Mask named_lanes, Mask calling_lanes);
void report_missing_lanes(Warp& w, const Fragment& fragment);
/// Returns the first warp with waiting lanes. Must be called only if no warp of the block can run.
const Warp& find_deadlocked_warp(const Block& block);
/// Reports a deadlock and ends the launch. Must be called when no warp of the block can ever
/// continue.
void report_deadlock(Block& block);

}  // namespace coalesce::simulator
