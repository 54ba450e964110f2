// Passes the events of shared memory and barriers to the ledger or to the race checker. Each event
// is either compared with the events of a clean block, or checked (and recorded for the next
// block).
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// Starts the checks of this block. The system's reserved shared memory is treated as
/// zero-initialized.
void begin_shared_checks(Block& block);
void note_barrier_arrive(Warp& w, u32 id);
/// Records that the warp arrives at a barrier without waiting.
void note_barrier_passed(Warp& w, u32 id);
void note_barrier_complete(Block& block, u32 id, Mask waited, bool whole_block);
void note_warp_end(Warp& w);

/// Passes the block's previous steps to the checker, and lets it check all later steps. Must be
/// called when a step differs from the clean block's.
void stop_using_ledger(Block& block);

}  // namespace coalesce::simulator
