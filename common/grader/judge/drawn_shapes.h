/// \file
/// Draws the shapes on which a kernel is judged. The exercise's secret is the seed, so a student
/// cannot tailor a kernel to these shapes.
#pragma once

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Returns the exercise with shapes drawn at random. The same secret always gives the same shapes.
AssignedExercise with_drawn_shapes(const AssignedExercise& exercise, const Secret& secret);

}  // namespace coalesce::grader
