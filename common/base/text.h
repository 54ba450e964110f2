#pragma once

#include <string>
#include <vector>

namespace coalesce {

/// "4", "4.25": two decimals at most.
std::string short_number(double value);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace coalesce
