#pragma once

#include <string>

namespace coalesce {

/// Returns the current time, formatted like strftime does, as local time or in UTC.
std::string local_time(const char* form);
std::string utc_time(const char* form);

}  // namespace coalesce
