// Chooses what runs next: the fragments of a warp, and the warps of a block.
//
// Builds on  block.h.
// Idea       A warp runs until it ends, waits, or has used its slice; then the next warp of the
//            block runs. Nothing is timed. The order is a function of the program, its input and
//            the seed.
// Fairness   With "lowest place first", the losers of a spin lock could run forever while the
//            winner waits to release it. So a branch in a loop that may wait for memory to change
//            (Op::spins) counts its iterations. After some of them, the fragment rests until all
//            others of the warp have run. A warp that only spins ends its slice, and a block that
//            only spins is set aside for other blocks. Code that does work in such a loop (takes
//            numbers from a counter, fills a hash table) changes memory, and may continue for
//            longer. watch.h decides whether a wait can still end.
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// Adds a fragment that does not run now. Lanes at the same place in the same call continue, or
/// wait, together.
void join_others(Warp& w, const Fragment& fragment);
/// Continues the running fragment at `next`, and returns the next Op of the fragment that should
/// run first.
const Op* continue_at(Warp& w, const Op* next);
/// Makes a ready fragment the running one. Returns nullptr if none is ready.
const Op* next_fragment(Warp& w);

enum class BlockOutcome : u8 {
    finished,
    waits_for_others,  ///< its warps spin, so other blocks should run
    failed,            ///< the launch has failed
};
/// Runs the block until one of these outcomes.
BlockOutcome run_block(Block& block, u64 seed);
/// Call this before a warp's first slice.
void start_patience(Warp& w);

/// Returns "warp 3: lanes 0-31 wait at the barrier of kernel.cu:12" for every waiting fragment.
std::string describe_waiting(const Block& block);

/// Op::detail of a branch in the program, as opposed to one that the lowering added.
inline constexpr u8 kCountedBranch = 1;

// The handlers of control flow.
const Op* op_branch(Warp& w, const Op* op);          ///< bra target
const Op* op_branch_if(Warp& w, const Op* op);       ///< @p bra target
const Op* op_branch_indexed(Warp& w, const Op* op);  ///< brx.idx
const Op* op_label(Warp& w, const Op* op);           ///< a place where paths may join
const Op* op_exit(Warp& w, const Op* op);            ///< exit, or ret of the kernel
/// Runs Op::inner for the lanes for which the guard is true.
const Op* op_guarded(Warp& w, const Op* op);
const Op* op_warp_sync(
    Warp& w, const Op* op);  ///< gathers the lanes of the mask in Op::members, then Op::inner
const Op* op_warp_barrier(Warp& w, const Op* op);  ///< bar.warp.sync, for the gathered lanes

/// Continues lanes that waited only for lanes which have exited.
void release_complete_warp_syncs(Warp& w);

/// Call this when lanes of a warp have exited or reached a barrier.
void release_barriers(Block& block);

}  // namespace coalesce::simulator
