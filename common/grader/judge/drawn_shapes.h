/// \file
/// Draws the shapes on which a kernel is judged from the secret of the exercise, so that nobody can
/// write a kernel for these shapes alone.
#pragma once

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Returns the exercise with the shapes that belong to this secret. The same secret always draws
/// the same shapes.
Assigned with_drawn_shapes(const Assigned& exercise, const Secret& secret);

}  // namespace coalesce::grader
