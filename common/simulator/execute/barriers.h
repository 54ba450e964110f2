// The barriers of a block, and the reports about barriers that cannot complete.
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// a: number of the barrier (0 to 15), b: threads (0: all).
const Op* op_barrier_sync(Warp& w, const Op* op);
const Op* op_barrier_arrive(Warp& w, const Op* op);  ///< arrives without waiting
const Op* op_barrier_reduce(Warp& w,
                            const Op* op);  ///< bar.red: Op::detail says which, c the predicate

/// The values of Op::detail for op_barrier_reduce.
enum : u8 { kReducePopc, kReduceAnd, kReduceOr };

/// bar.warp.sync has gathered its lanes.
void note_warp_barrier(Warp& w);
/// Lanes of this warp have exited. Everything that waited only for them continues.
void lanes_ended(Warp& w);

void spend_instructions(Warp& w, u64 count);
/// Reports lanes whose mask does not contain themselves, and shuffles with lanes that have exited.
void check_mask(Warp& w, const Op* op, Mask named, Mask callers);
void report_missing_lanes(Warp& w, const Fragment& fragment);
/// Returns the first warp with waiting lanes in a block in which nothing can run.
const Warp& stuck_warp(const Block& block);
/// Ends the launch, because no warp of the block can ever continue.
void report_deadlock(Block& block);

}  // namespace coalesce::simulator
