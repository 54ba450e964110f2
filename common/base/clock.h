#pragma once

#include <string>

namespace coalesce {

/// Return the current time, formatted with the strftime format `form`, as local time or in UTC.
std::string local_time(const char* form);
std::string utc_time(const char* form);

}  // namespace coalesce
