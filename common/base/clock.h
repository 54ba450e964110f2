#pragma once

#include <string>

namespace coalesce {

/// Return the current local time or UTC, formatted by strftime with the format string `form`.
std::string local_time(const char* form);
std::string utc_time(const char* form);

}  // namespace coalesce
