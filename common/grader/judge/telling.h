/// \file
/// Removes from students' results everything that would reveal a hidden input. Results on public
/// inputs are shown completely.
#pragma once

#include <string>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Reports whether the shape `tried_shapes[index]` is hidden from students. `tried_shapes` contains
/// the public shapes, then the hidden shapes, and then the shapes on which only costs are counted.
bool is_shape_hidden(const AssignedExercise& exercise, const std::vector<TriedShape>& tried_shapes,
                     std::size_t index);
/// Removes everything from a result that would reveal a hidden shape.
void hide_secrets(const AssignedExercise& exercise, Result& result);
/// Returns the result as text for a terminal: the mark, the points and the verdict.
std::string format_result(const Result& result, const AssignedExercise& exercise);

}  // namespace coalesce::grader
