// Where shared memory, barriers and the ledger meet: what happens is either compared with what a
// clean block did, or goes to the race checker (and is written down for the next block).
#pragma once

#include "simulator/execute/block.h"

namespace coalesce::simulator {

/// The checker begins with this block. What the system reserves counts as written: it is zero.
void begin_shared_checks(Block& block);
void note_barrier_arrive(Warp& w, u32 id);
/// ... and does not wait there.
void note_barrier_passed(Warp& w, u32 id);
void note_barrier_complete(Block& block, u32 id, Mask waited, bool whole_block);
void note_warp_end(Warp& w);

/// The steps so far no longer agree: replays them into the checker, which takes over.
void leave_ledger(Block& block);

}  // namespace coalesce::simulator
