// Cells that nobody wrote: whether the launch can be blamed, by its numbers alone.
#pragma once

#include <optional>

#include "kernel/causes.h"

namespace coalesce {

/// Whether each element has a thread of its own: then the grid is large enough.
bool covers_by_threads(const LaunchShape& launch, Shape shape);
/// A grid that would cover the matrix if its sizes changed places, and does not as it is.
std::optional<Failure> exchanged_grid(const Trial& trial, const Evidence& evidence);
/// Says of unwritten cells what the launch rules out, and names the line that is left to look at.
void look_at_launch(Failure& failure, const Trial& trial, const Evidence& evidence);

}  // namespace coalesce
