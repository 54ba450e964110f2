#pragma once

#include <string>

namespace coalesce {

/// Return the current time, local or UTC, formatted with the strftime format `form`.
std::string local_time(const char* form);
std::string utc_time(const char* form);

}  // namespace coalesce
