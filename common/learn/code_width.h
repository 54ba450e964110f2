/// \file
/// Fits code and diagrams of a lesson into the columns of a terminal.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// Breaks the lines of a code block so that they fit into `columns` columns if possible. `language`
/// is the word after the fence. In a diagram, which has no language, removes columns that are blank
/// in every line.
std::vector<std::string> fit_columns(const std::vector<std::string>& lines,
                                     const std::string& language, std::size_t columns);

}  // namespace coalesce::learn
