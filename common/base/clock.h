#pragma once

#include <string>

namespace coalesce {

/// Return the current local time or UTC, formatted by strftime with the format string
/// `time_format`.
std::string local_time(const char* time_format);
std::string utc_time(const char* time_format);

}  // namespace coalesce
