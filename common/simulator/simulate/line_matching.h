// Finds the counterparts of source lines after the source has been edited.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace coalesce::simulator {

/// Returns pairs of indices into `before` and `after`. Each line in the longest common subsequence
/// is paired with its equal. If both lists have the same number of lines between two such pairs,
/// these lines are paired in order too, because they have probably only been edited.
std::vector<std::pair<std::size_t, std::size_t>> match_lines(const std::vector<std::string>& before,
                                                             const std::vector<std::string>& after);

}  // namespace coalesce::simulator
