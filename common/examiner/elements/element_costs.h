/// \file
/// Compares a kernel's costs with the limits of an exercise that is defined element by element.
#pragma once

#include <vector>

#include "examiner/course/exercise.h"
#include "examiner/verdict.h"

namespace coalesce {

/// Returns a failure for each limit that a correct kernel exceeds.
std::vector<Failure> find_exceeded_element_limits(const Verdict& verdict, const Limits& limits);

}  // namespace coalesce
