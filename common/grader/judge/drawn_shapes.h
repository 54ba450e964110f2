/// \file
/// Draws additional shapes on which a kernel is judged. The exercise's secret is the seed, so
/// students cannot tailor their kernels to these shapes.
#pragma once

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Returns the exercise with its `drawn_...` shapes filled in. The same secret always gives the
/// same shapes. An exercise that is defined element by element gets no such shapes.
AssignedExercise with_drawn_shapes(const AssignedExercise& exercise, const Secret& secret);

}  // namespace coalesce::grader
