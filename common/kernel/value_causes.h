// A result of which some values are lost: the accesses of a warp and the text say where.
#pragma once

#include "kernel/causes.h"

namespace coalesce {

/// Says of a wrong result what the comparison alone cannot know.
void look_at_values(Failure& failure, const Trial& trial, const Evidence& evidence);

}  // namespace coalesce
