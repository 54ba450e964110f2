// What a kernel costs, compared with what the lesson asks.
#pragma once

#include <vector>

#include "course/exercise.h"
#include "kernel/trial.h"
#include "kernel/verdict.h"

namespace coalesce {

/// What is more expensive than asked, the worst first; empty when nothing is. The kernel is right.
std::vector<Failure> too_dear(const Verdict& verdict, const LaunchShape& launch,
                              const Limits& limits, const TryAgain& try_again);

}  // namespace coalesce
