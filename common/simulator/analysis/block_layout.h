// Reorders the blocks of a function's text.
//
// Idea   Diverged lanes reconverge because the scheduler runs those that are furthest behind in the
//        text (execute/scheduler.h). So the end of a loop's body must come after all blocks that
//        lead to it. clang puts it first if possible. Lanes that skip the rest of an iteration
//        would then start the next one before the others had caught up, and would never reconverge.
//        ptxas chooses its own order, in which they do.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Moves blocks, if a block comes before another that leads to it in the same iteration. Functions
/// whose loops have several entries are left unchanged.
void put_in_order(ptx::Function& function);

}  // namespace coalesce::simulator
