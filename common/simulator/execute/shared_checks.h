// Passes the accesses and barriers of a block to the race checker for shared memory, or to the
// ledger, which compares them with the accesses and barriers of an earlier block without errors.
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// Starts the checks of this block. The system's reserved shared memory is treated as
/// zero-initialized.
void begin_shared_checks(Block& block);
void note_barrier_arrive(Warp& w, u32 id);
/// Records that the warp arrives at a barrier without waiting.
void note_barrier_passed(Warp& w, u32 id);
void note_barrier_complete(Block& block, u32 id, Mask waiting_warps, bool is_whole_block);
void note_warp_end(Warp& w);

/// Passes all steps that the block has made so far to the race checker, which then also checks all
/// later steps. Must be called when a step differs from that of the clean block (shared_ledger.h).
void stop_using_ledger(Block& block);

}  // namespace coalesce::simulator
