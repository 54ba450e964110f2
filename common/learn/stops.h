/// \file
/// Breakpoints of `learn step`: lines, and conditions on variables. The book's pages accept the
/// same notation in "Watch" (common/page/src/watch/stops.ts).
#pragma once

#include <string>
#include <vector>

#include "learn/steps_file.h"

namespace coalesce::learn {

struct Comparison {
    std::string left, comparator, right;  ///< such as "row", "==" and "5"
};

struct Stop {
    int line = 0;                         ///< the line at which to stop, or 0 for any line
    std::vector<Comparison> comparisons;  ///< must all be true in the same lane
};

/// Parses stops such as "12; 14: row == 5 && lane < 4; wavefronts > 1". Throws std::runtime_error
/// with a message for the learner.
std::vector<Stop> parse_stops(const std::string& text);

/// Returns the indices of the steps at which to stop. For example, "14: row == 5" stops whenever
/// line 14 runs in a lane in which `row` is 5. Without a line, "row == 5" stops where the condition
/// becomes true in a lane. Throws std::runtime_error for an unknown variable.
std::vector<std::size_t> find_stops(const Steps& steps, const std::vector<Stop>& stops);

}  // namespace coalesce::learn
