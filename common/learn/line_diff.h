/// \file
/// Compares two texts line by line.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// A line of a difference. It is in both texts or only in one of them.
struct DiffLine {
    enum Kind { both, first, second } kind = both;
    std::string text;
};

/// Returns the shortest difference that turns `first` into `second`, including the lines that both
/// texts have.
std::vector<DiffLine> line_diff(const std::string& first, const std::string& second);

/// Formats a difference. Lines of both texts begin with "  ", lines of only the first with "- ",
/// and lines of only the second with "+ ".
std::string diff_text(const std::vector<DiffLine>& diff);

/// Formats two texts side by side in `columns` columns, with equal lines at the same height.
std::string side_by_side(const std::string& first_head, const std::string& second_head,
                         const std::vector<DiffLine>& diff, int columns);

}  // namespace coalesce::learn
