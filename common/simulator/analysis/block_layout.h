// Reorders the basic blocks of a function.
//
// Idea   When the lanes of a warp have diverged, the scheduler first runs the lanes whose next
//        instruction comes first in the text (execute/scheduler.h). In a loop, diverged lanes
//        therefore meet again only if the end of the loop's body comes after all blocks that lead
//        to it. clang places the end first if it can. In that order, a lane that executes
//        `continue` would start the next iteration alone, and the lanes would never reconverge. On
//        a GPU they do reconverge, because ptxas chooses another order.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Reorders the blocks so that each block comes after its predecessors, apart from the back edges
/// of loops. Leaves a function unchanged if one of its loops has several entries.
void order_blocks_for_reconvergence(ptx::Function& function);

}  // namespace coalesce::simulator
