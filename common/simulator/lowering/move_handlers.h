// Handlers of the lowering's own small moves, which have no PTX instruction of their own:
// mov.b32, mov.b64, mov.pred, not.pred, mov.piece.b64 (a 32-bit half), mov.pair.b64 (two halves).
#pragma once

#include <string>

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// nullptr: not one of these.
Handler move_handler(const std::string& name);

}  // namespace coalesce::simulator
