// What the model of time says of a kernel, compared with what the lesson asks.
#pragma once

#include <optional>
#include <string>

#include "course/exercise.h"
#include "kernel/verdict.h"

namespace coalesce {

/// Less of a copy's speed than asked, even if the model is off by as much as it may be. Nothing where the
/// model says that there is something it does not know, which may make the kernel faster.
std::optional<Failure> too_slow_predicted(const Verdict& verdict, const Limits& limits);
/// There is no time for it, and there is one for the solution.
Failure not_predicted(const std::string& file, Shape shape);

}  // namespace coalesce
