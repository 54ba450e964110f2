#pragma once

#include <string>

namespace coalesce {

/// Return the current time as text: `local_time` in the local time zone, and `utc_time` in UTC.
/// `time_format` is a format string of strftime.
std::string local_time(const char* time_format);
std::string utc_time(const char* time_format);

}  // namespace coalesce
