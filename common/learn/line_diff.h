/// \file
/// Compares two texts line by line.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// A line that is in both texts or in one of them.
struct DiffLine {
    enum Kind { both, first, second } kind = both;
    std::string text;
};

/// Returns the shortest sequence of lines that turns `first` into `second`.
std::vector<DiffLine> line_diff(const std::string& first, const std::string& second);

/// Formats a difference with "  " before lines of both texts, and "- " and "+ " before those of one.
std::string diff_text(const std::vector<DiffLine>& diff);

/// Prints the two texts side by side in `columns` columns, with equal lines at the same height.
std::string side_by_side(const std::string& first_head, const std::string& second_head,
                         const std::vector<DiffLine>& diff, int columns);

}  // namespace coalesce::learn
