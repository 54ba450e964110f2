// What the solution costs, counted once and kept.
#pragma once

#include <optional>

#include "kernel/examine.h"

namespace coalesce {

/// The solution's counters at `request.counted`. Nothing, and `problem`, when they can not be had.
std::optional<Counters> counters_of_solution(const Request& request, Failure& problem);

}  // namespace coalesce
