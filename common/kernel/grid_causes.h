// Cells that nobody wrote: whether the launch can be blamed, by its numbers and by which cells its
// blocks take.
#pragma once

#include <optional>

#include "kernel/causes.h"

namespace coalesce {

/// A grid that would cover the matrix if its sizes changed places, and does not as it is.
std::optional<Failure> exchanged_grid(const Trial& trial, const Evidence& evidence);
/// Says of unwritten cells what the launch shows to be behind them, and names the line to look at.
/// False: it shows nothing, and what was guessed from the result is all that there is to say.
bool look_at_launch(Failure& failure, const Trial& trial, const Evidence& evidence);

}  // namespace coalesce
