// Determines which basic blocks of a function ptxas joins into one straight-line piece of machine
// code. It joins consecutive blocks. It also joins a block that lanes may skip, provided that it
// can replace the branch around the block with guards. For such a replacement, the block must be
// short, and there must be other instructions that can run while the block's loads are in flight.
#pragma once

#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptxas/machine_values.h"

namespace coalesce::simulator {

/// Returns, for each basic block, the next block that ptxas joins to it, or the block itself if
/// there is none. Blocks between the two get guards, so that lanes skip these blocks without a
/// branch.
std::vector<u32> join_blocks(const ptx::Function& function, const ControlFlow& flow,
                             const MachineValues& values);

}  // namespace coalesce::simulator
