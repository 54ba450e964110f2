// Chooses which fragment of a warp, and which warp of a block, runs next.
//
// Builds on  block.h.
// Idea       A warp runs until it ends, waits, or has used up its slice. Then the next warp of the
//            block runs. Nothing depends on real time: the order is a function of the program, its
//            input and the seed.
// Fairness   Normally, the fragment (group of lanes) at the lowest position in the program runs
//            first. With this rule alone, lanes that wait for a spin lock could run forever, and
//            the lane that holds the lock would never run to release it. A branch in a loop that
//            may wait for memory (Op::is_spin_branch) therefore counts the loop's iterations. After
//            a certain number of iterations, the fragment rests until all other fragments of the
//            warp have run. If a whole warp spins, its slice ends. If a whole block spins, the
//            block is suspended so that other blocks run. A loop that changes memory (increments a
//            counter, fills a hash table) may continue for longer. The Watch (watch.h) decides
//            whether a wait can still end.
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// Adds `fragment`, a group of lanes, to the warp's fragments that are not running. Merges it with
/// a fragment at the same instruction of the same call, so that their lanes continue or wait
/// together.
void add_or_merge_fragment(Warp& w, const Fragment& fragment);
/// Sets the position of the running fragment to `next_op`. Then selects the fragment that runs
/// next, and returns the Op at which the selected fragment continues.
const Op* continue_at(Warp& w, const Op* next_op);
/// Switches to a ready fragment and returns its next Op, or nullptr if no fragment is ready.
const Op* switch_to_next_fragment(Warp& w);

enum class BlockOutcome : u8 {
    finished,
    waits_for_others,  ///< the block's warps are spinning, so other blocks should run
    failed,            ///< the launch has failed
};
/// Runs the block until it finishes, waits for other blocks, or fails.
BlockOutcome run_block(Block& block, u64 seed);
/// Resets the limit on spin iterations. Must be called before the warp's first slice.
void reset_spin_limit(Warp& w);

/// Describes each waiting fragment, for example "warp 3: lanes 0-31 wait at the barrier of
/// kernel.cu:12".
std::string describe_waiting(const Block& block);

/// The value of Op::detail for a branch of the program itself. In branches that the lowering has
/// added, Op::detail is 0.
inline constexpr u8 kProgramBranch = 1;

// The handlers for control flow.
const Op* op_branch(Warp& w, const Op* op);          ///< executes an unguarded `bra`
const Op* op_endless_loop(Warp& w, const Op* op);    ///< executes a branch to itself
const Op* op_branch_if(Warp& w, const Op* op);       ///< executes a guarded `bra`
const Op* op_branch_indexed(Warp& w, const Op* op);  ///< executes brx.idx
const Op* op_label(Warp& w, const Op* op);           ///< executes a label at which paths may join
const Op* op_exit(Warp& w, const Op* op);            ///< executes exit, or the kernel's ret
/// Runs Op::guarded_handler for the lanes whose guard is true.
const Op* op_guarded(Warp& w, const Op* op);
/// Waits for the lanes in Op::members, then runs Op::guarded_handler.
const Op* op_warp_sync(Warp& w, const Op* op);
/// Executes bar.warp.sync after all of its lanes have arrived.
const Op* op_warp_barrier(Warp& w, const Op* op);

/// Resumes lanes that wait at .sync instructions if all lanes for which they wait have exited.
void release_complete_warp_syncs(Warp& w);

/// Releases completed barriers. Must be called when lanes of a warp have exited or reached a
/// barrier.
void release_barriers(Block& block);

}  // namespace coalesce::simulator
