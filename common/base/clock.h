#pragma once

#include <string>

namespace coalesce {

/// The time now, in a form of strftime: of this computer, or in UTC.
std::string local_time(const char* form);
std::string utc_time(const char* form);

}  // namespace coalesce
