// The barriers of a block, and what is said when they cannot work.
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

const Op* op_barrier_sync(Warp& w, const Op* op);    ///< a: which of the 16, b: threads (0: all)
const Op* op_barrier_arrive(Warp& w, const Op* op);  ///< counts, and does not wait
const Op* op_barrier_reduce(Warp& w,
                            const Op* op);  ///< bar.red: Op::detail says which, c the predicate

/// Op::detail of op_barrier_reduce.
enum : u8 { kReducePopc, kReduceAnd, kReduceOr };

/// bar.warp.sync has gathered its lanes.
void note_warp_barrier(Warp& w);
/// Lanes of this warp have exited: what waited only for them goes on.
void lanes_ended(Warp& w);

void spend_instructions(Warp& w, u64 count);
/// Reports lanes that call without naming themselves, and shuffles with lanes that have ended.
void check_mask(Warp& w, const Op* op, Mask named, Mask callers);
void report_missing_lanes(Warp& w, const Fragment& fragment);
/// The first warp with lanes that wait, of a block in which nothing runs.
const Warp& stuck_warp(const Block& block);
/// No warp of the block can ever go on: the launch ends.
void report_deadlock(Block& block);

}  // namespace coalesce::simulator
