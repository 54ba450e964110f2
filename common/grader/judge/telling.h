/// \file
/// What a student is told: all of it where the input is public, only what helps where it is not.
#pragma once

#include <string>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Fills in what the failure says, without what would give a hidden shape away. `kind` stays as it is.
void tell(const Failure& failure, bool is_hidden, Result& result);
/// Puts `text` together, at the end.
void write_text(const Submission& submission, const Exercise& exercise, Result& result);

/// "a single row", "wider than tall, no multiple of 32": what may be told of a hidden shape.
std::string kind_of_shape(Shape shape);
/// A name as messages can have it: short, and without signs that terminals obey.
std::string harmless(const std::string& name);

}  // namespace coalesce::grader
