// Connects shared memory, barriers and the ledger. Each event is either compared with those of a
// clean block, or passed to the race checker (and recorded for the next block).
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// Starts the checker with this block. The system's reserved memory counts as initialized, with
/// zeros.
void begin_shared_checks(Block& block);
void note_barrier_arrive(Warp& w, u32 id);
/// The warp arrives and does not wait.
void note_barrier_passed(Warp& w, u32 id);
void note_barrier_complete(Block& block, u32 id, Mask waited, bool whole_block);
void note_warp_end(Warp& w);

/// The steps so far no longer agree. Passes them to the checker, which takes over.
void leave_ledger(Block& block);

}  // namespace coalesce::simulator
