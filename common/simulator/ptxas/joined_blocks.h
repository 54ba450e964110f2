// Determines which blocks of a function become one straight-line piece of machine code: consecutive
// blocks, and blocks that lanes may skip if ptxas replaces the branch with guards. ptxas uses
// guards if the block is short and other work is available while the block's loads are in flight.
#pragma once

#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptxas/machine_values.h"

namespace coalesce::simulator {

/// Returns, for each block, the block that continues its piece, or the block itself if the piece
/// ends there. Any block between these two blocks is guarded.
std::vector<u32> joined_blocks(const ptx::Function& function, const ControlFlow& flow,
                               const MachineValues& values);

}  // namespace coalesce::simulator
