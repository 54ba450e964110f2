// The order of a function's blocks in its text.
//
// Idea   Lanes that part meet again because those furthest behind in the text go first (execute/scheduler.h),
//        so the text has to have the end of a loop's turn behind all that leads to it. clang puts that end
//        first where it can: lanes that skip the rest of a turn would be in the next one before the others
//        had caught up, and never meet them again. ptxas makes an order of its own, in which they meet.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Moves blocks, if any stands before another that leads to it in the same turn. A function whose loops have
/// several beginnings is left as it is.
void put_in_order(ptx::Function& function);

}  // namespace coalesce::simulator
