// Finds the lines of a source again after it has been edited.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace coalesce::simulator {

/// Returns pairs of indices of `before` and `after`: the lines that are the same, as in the longest
/// common subsequence, and edited lines. If the lines between two matches are equally many in both
/// lists, each is taken for an edited form of its counterpart.
std::vector<std::pair<std::size_t, std::size_t>> match_lines(const std::vector<std::string>& before,
                                                             const std::vector<std::string>& after);

}  // namespace coalesce::simulator
