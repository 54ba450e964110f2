// Handlers for small moves that the lowering inserts and that are not PTX instructions: mov.b32,
// mov.b64, mov.pred, not.pred, mov.piece.b64 (a 32-bit half), mov.pair.b64 (two halves).
#pragma once

#include <string>

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// Returns nullptr if it is not one of these.
Handler move_handler(const std::string& name);

}  // namespace coalesce::simulator
