/// \file
/// Compares two texts line by line.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// A line of a diff. The line is in both texts, or in only one of them.
struct DiffLine {
    enum Kind { both, first, second } kind = both;
    std::string text;
};

/// Returns the shortest diff from `first` to `second`, including the lines that both texts have in
/// common.
std::vector<DiffLine> line_diff(const std::string& first, const std::string& second);

/// Returns the changed lines, with `context` lines before and after each change. Each run of other
/// lines is replaced with one line that says how many lines were left out.
std::vector<DiffLine> keep_changes(const std::vector<DiffLine>& diff, size_t context = 3);

/// Formats a diff. A line begins with "- " if only the first text has it, with "+ " if only the
/// second has it, and otherwise with two blanks.
std::string diff_text(const std::vector<DiffLine>& diff);

/// Formats two texts side by side, `columns` columns wide, with equal lines next to each other.
std::string format_side_by_side(const std::string& first_head, const std::string& second_head,
                                const std::vector<DiffLine>& diff, int columns);

}  // namespace coalesce::learn
