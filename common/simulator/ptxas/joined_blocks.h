// Determines which blocks of a function become one straight piece of machine code: consecutive
// blocks, and blocks that lanes may skip, if they are so short that ptxas replaces the branch by
// guards, and there is other work to do while their loads are in flight.
#pragma once

#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptxas/machine_values.h"

namespace coalesce::simulator {

/// For each block, returns the block with which its piece continues, or the block itself if the
/// piece ends there. The blocks in between are guarded.
std::vector<u32> joined_blocks(const ptx::Function& function, const ControlFlow& flow,
                               const MachineValues& values);

}  // namespace coalesce::simulator
