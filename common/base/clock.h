#pragma once

#include <string>

namespace coalesce {

/// Return the current time, in local time or in UTC, formatted by strftime with the format `form`.
std::string local_time(const char* form);
std::string utc_time(const char* form);

}  // namespace coalesce
