/// \file
/// What differs between two texts, line by line.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// A line that both texts have, or one of them.
struct DiffLine {
    enum Kind { both, first, second } kind = both;
    std::string text;
};

/// The shortest way from `first` to `second` by whole lines.
std::vector<DiffLine> line_diff(const std::string& first, const std::string& second);

/// For reading: "  " before lines of both, "- " and "+ " before those of one.
std::string diff_text(const std::vector<DiffLine>& diff);

/// The two texts beside each other in so many columns, equal lines at the same height.
std::string side_by_side(const std::string& first_head, const std::string& second_head,
                         const std::vector<DiffLine>& diff, int columns);

}  // namespace coalesce::learn
