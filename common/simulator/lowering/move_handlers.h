// Declares handlers for small moves that the lowering inserts and that are not PTX instructions:
// mov.b32, mov.b64, mov.pred, not.pred, mov.piece.b64 (extracts a 32-bit half), mov.pair.b64 (joins
// two halves).
#pragma once

#include <string>

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// Returns the handler of the move instruction `name`, or null if there is none.
Handler find_move_handler(const std::string& name);

}  // namespace coalesce::simulator
