/// \file
/// Draws shapes from the secret of an exercise, so that no kernel can be made for the shapes on which
/// it is judged.
#pragma once

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Returns the exercise with the shapes that belong to this secret. The same secret always draws
/// the same shapes.
Assigned with_drawn_shapes(const Assigned& exercise, const Secret& secret);

}  // namespace coalesce::grader
