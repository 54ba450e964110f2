/// \file
/// Decides what a student is told: everything about public inputs, and only what helps about hidden ones.
#pragma once

#include <string>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Reports whether the shape at this position is known only to the teacher: a hidden shape, which follows the public
/// ones, or the second shape at which costs are counted, which is last.
bool is_shape_hidden(const Assigned& exercise, const std::vector<ShapeTried>& tried,
                     std::size_t place);
/// Removes from a result everything that would reveal a hidden shape.
void hide(const Assigned& exercise, Result& result);
/// Returns the full result for a terminal: mark, points, verdict.
std::string told(const Result& result, const Assigned& exercise);

}  // namespace coalesce::grader
