#pragma once

#include <string>

namespace coalesce {

/// "4", "4.25": two decimals at most.
std::string short_number(double value);

}  // namespace coalesce
