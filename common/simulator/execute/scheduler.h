// Chooses what runs next: the fragments of a warp, and the warps of a block.
//
// Builds on  block.h.
// Idea       A warp runs until it ends, waits, or has used up its slice. Then the next warp of the
//            block runs. Nothing depends on real time: the order is a function of the program, its
//            input and the seed.
// Fairness   If the fragment with the lowest instruction always ran first, lanes that fail to take
//            a spin lock could run forever while the lane that holds it waits to release it. So a
//            branch in a loop that may wait for memory to change (Op::spins) counts its iterations.
//            After a number of them, the fragment rests until all others of the warp have run. A
//            warp that only spins ends its slice, and a block that only spins is set aside for
//            other blocks. If such a loop does work (takes numbers from a counter, fills a hash
//            table), it changes memory, and may continue for longer. watch.h decides whether a wait
//            can still end.
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// Adds a fragment that is not running. Lanes at the same instruction of the same call continue
/// together, or wait together.
void join_others(Warp& w, const Fragment& fragment);
/// Lets the running fragment continue at `next`. Returns the next Op of the fragment that should
/// run first.
const Op* continue_at(Warp& w, const Op* next);
/// Makes a ready fragment the running one. Returns nullptr if none is ready.
const Op* next_fragment(Warp& w);

enum class BlockOutcome : u8 {
    finished,
    waits_for_others,  ///< its warps are spinning, so other blocks should run
    failed,            ///< the launch has failed
};
/// Runs the block until one of these outcomes is reached.
BlockOutcome run_block(Block& block, u64 seed);
/// Resets how long a warp may spin. Call this before the warp's first slice.
void reset_spin_limit(Warp& w);

/// Describes each waiting fragment, for example "warp 3: lanes 0-31 wait at the barrier of
/// kernel.cu:12".
std::string describe_waiting(const Block& block);

/// Set in Op::detail for a branch of the program, but not for one that the lowering has added.
inline constexpr u8 kCountedBranch = 1;

// The handlers for control flow.
const Op* op_branch(Warp& w, const Op* op);          ///< bra target
const Op* op_endless_loop(Warp& w, const Op* op);    ///< a branch that always leads back to itself
const Op* op_branch_if(Warp& w, const Op* op);       ///< @p bra target
const Op* op_branch_indexed(Warp& w, const Op* op);  ///< brx.idx
const Op* op_label(Warp& w, const Op* op);           ///< a label where paths may join
const Op* op_exit(Warp& w, const Op* op);            ///< exit, or the kernel's ret
/// Runs Op::inner for the lanes for which the guard is true.
const Op* op_guarded(Warp& w, const Op* op);
const Op* op_warp_sync(Warp& w,
                       const Op* op);  ///< waits for the lanes in Op::members, then runs Op::inner
const Op* op_warp_barrier(Warp& w, const Op* op);  ///< bar.warp.sync, for the gathered lanes

/// Lets lanes continue if all lanes that they were still waiting for have exited.
void release_complete_warp_syncs(Warp& w);

/// Releases completed barriers. Call this when lanes of a warp have exited or reached a barrier.
void release_barriers(Block& block);

}  // namespace coalesce::simulator
