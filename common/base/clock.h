#pragma once

#include <string>

namespace coalesce {

/// The current time, formatted as for strftime: the local time, or UTC.
std::string local_time(const char* form);
std::string utc_time(const char* form);

}  // namespace coalesce
