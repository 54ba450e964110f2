// Who runs next: the fragments of a warp, the warps of a block.
//
// Builds on  block.h.
// Idea       A warp runs until it ends, waits, or has had its share (a slice); then the next warp
//            of the block. Nothing is timed: order is a function of program, input and seed.
// Fairness   "Lowest place first" would let the losers of a spin lock run for ever while the winner
//            waits to release it. So a branch of a loop that may wait for memory to change
//            (Op::spins) counts its turns: after some, the fragment rests until all others of the
//            warp have had a go; a warp that only spins ends its slice; a block that only spins is
//            put aside for other blocks. Who works in such a loop (takes numbers from a counter,
//            fills a hash table) changes memory, and may go on for longer. Whether the wait can
//            still end is watch.h's question.
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// Adds to the fragments that do not run; lanes at the same place of the same call go on, or wait, as one.
void join_others(Warp& w, const Fragment& fragment);
/// The running fragment continues at `next`; picks the fragment of the warp that goes first.
const Op* continue_at(Warp& w, const Op* next);
/// Makes a ready fragment the running one. nullptr: none is ready.
const Op* next_fragment(Warp& w);

enum class BlockOutcome : u8 {
    finished,
    waits_for_others,  ///< its warps spin: it is the turn of others
    failed,            ///< the launch has failed
};
/// Runs the block until one of these.
BlockOutcome run_block(Block& block, u64 seed);
/// Before a warp's first slice.
void start_patience(Warp& w);

/// "warp 3: lanes 0-31 wait at the barrier of kernel.cu:12" for every waiting fragment.
std::string describe_waiting(const Block& block);

/// Op::detail of a branch of the program, as opposed to one that the lowering made.
inline constexpr u8 kCountedBranch = 1;

// Handlers of control flow.
const Op* op_branch(Warp& w, const Op* op);          ///< bra target
const Op* op_branch_if(Warp& w, const Op* op);       ///< @p bra target
const Op* op_branch_indexed(Warp& w, const Op* op);  ///< brx.idx
const Op* op_label(Warp& w, const Op* op);           ///< where paths may join
const Op* op_exit(Warp& w, const Op* op);            ///< exit, ret of the kernel
const Op* op_guarded(Warp& w, const Op* op);         ///< runs Op::inner for the lanes of the guard
const Op* op_warp_sync(
    Warp& w, const Op* op);  ///< gathers the lanes of the mask in Op::members, then Op::inner
const Op* op_warp_barrier(Warp& w, const Op* op);  ///< bar.warp.sync: what the gathered lanes do

/// Lanes that waited only for lanes which have ended since.
void release_complete_warp_syncs(Warp& w);

/// Called when lanes of a warp have ended or come to a barrier.
void release_barriers(Block& block);

}  // namespace coalesce::simulator
