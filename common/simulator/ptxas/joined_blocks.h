// Which blocks of a function become one straight piece of machine code: those that follow each other, and those that
// lanes may skip, where they are so short that ptxas guards their instructions in place of a branch, and where there is
// something to do while what they load is on its way.
#pragma once

#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptxas/machine_values.h"

namespace coalesce::simulator {

/// By block: the next that a piece which has come to it goes on with, and it itself, where the piece ends. What lies
/// between the two has guards.
std::vector<u32> joined_blocks(const ptx::Function& function, const ControlFlow& flow,
                               const MachineValues& values);

}  // namespace coalesce::simulator
