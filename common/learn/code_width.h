/// \file
/// Fits code and diagrams of a lesson into the columns of a terminal.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// Breaks the lines of a code block so that they fit into `columns` columns if possible. `language`
/// is the word after the fence. C++ and shell commands are broken only at blanks, and a comment
/// after code is put on a line of its own above the code. In a diagram (a block without a
/// language), columns that are blank in every line are removed; it may still be too wide.
std::vector<std::string> fit_columns(const std::vector<std::string>& lines,
                                     const std::string& language, std::size_t columns);

}  // namespace coalesce::learn
