/// \file
/// Fits code and diagrams of a lesson into the columns of a terminal.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// Fits the lines of a code block into `columns` columns where possible. `language` is the word
/// after the block's fence: C++ and shell commands are broken at blanks, so that they stay valid,
/// and a comment after code moves to the line before. In a diagram, which has no language, columns
/// that are blank in every line are removed; a diagram may still be too wide.
std::vector<std::string> fit_columns(const std::vector<std::string>& lines,
                                     const std::string& language, std::size_t columns);

}  // namespace coalesce::learn
