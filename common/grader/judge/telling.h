/// \file
/// What a student is told: all of it where the input is public, only what helps where it is not.
#pragma once

#include <string>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Takes out of a result what would give a hidden shape away.
void hide(const Assigned& exercise, Result& result);
/// The result in full for a terminal: mark, points, verdict.
std::string told(const Result& result, const Assigned& exercise);

/// "a single row", "wider than tall, no multiple of 32": what may be told of a hidden shape.
std::string kind_of_shape(Shape shape);
/// A name as messages can have it: short, and without signs that terminals obey.
std::string harmless(const std::string& name);

}  // namespace coalesce::grader
