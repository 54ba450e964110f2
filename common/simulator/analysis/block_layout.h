// Reorders the basic blocks of a function.
//
// Idea   Of the diverged lanes of a warp, the scheduler runs those first whose next instruction
//        comes first in the text (execute/scheduler.h). In a loop, diverged lanes therefore meet
//        again only if the end of the loop's body comes after all blocks that lead to it. clang
//        places the end first if it can. A lane that executes `continue` would then start the next
//        iteration alone, and the lanes would never reconverge. In the block order that ptxas
//        chooses, the lanes do reconverge.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Reorders the blocks so that each block comes after its predecessors, apart from the back edges
/// of loops. Leaves a function unchanged if one of its loops has several entries.
void order_blocks_for_reconvergence(ptx::Function& function);

}  // namespace coalesce::simulator
