/// \file
/// What a student is told: all of it where the input is public, only what helps where it is not.
#pragma once

#include <string>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Whether only the teacher may know of the shape that was tried at that place: one of the hidden ones,
/// which come behind the public ones, or the second at which costs are counted, which comes last.
bool is_shape_hidden(const Assigned& exercise, const std::vector<ShapeTried>& tried,
                     std::size_t place);
/// Takes out of a result what would give a hidden shape away.
void hide(const Assigned& exercise, Result& result);
/// The result in full for a terminal: mark, points, verdict.
std::string told(const Result& result, const Assigned& exercise);

}  // namespace coalesce::grader
