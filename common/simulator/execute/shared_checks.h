// Connects shared memory, barriers and the ledger. Each event is either compared with the events of
// a clean block, or passed to the race checker (and recorded for the next block).
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// Starts the checker for this block. The system's reserved memory counts as zero-initialized.
void begin_shared_checks(Block& block);
void note_barrier_arrive(Warp& w, u32 id);
/// Records that the warp arrives at a barrier without waiting.
void note_barrier_passed(Warp& w, u32 id);
void note_barrier_complete(Block& block, u32 id, Mask waited, bool whole_block);
void note_warp_end(Warp& w);

/// Passes the block's steps so far to the checker, which then checks the rest of the block. Must be
/// called when a step differs from the clean block.
void stop_using_ledger(Block& block);

}  // namespace coalesce::simulator
