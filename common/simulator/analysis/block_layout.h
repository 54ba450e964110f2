// Reorders the basic blocks of a function.
//
// Idea   Diverged lanes reconverge because the scheduler runs the lanes whose next instruction
//        comes first in the text (execute/scheduler.h). Therefore the end of a loop's body must
//        come after all blocks that lead to it. clang places that end first if possible. Lanes that
//        skip the rest of an iteration would then start the next iteration before the other lanes
//        had caught up, and the lanes would never reconverge. In the order that ptxas chooses, the
//        lanes do reconverge.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Reorders the blocks if, ignoring back edges of loops, a block precedes one of its predecessors
/// in the text. Functions with loops that have several entries are left unchanged.
void order_blocks_for_reconvergence(ptx::Function& function);

}  // namespace coalesce::simulator
