#pragma once

#include <string>

namespace coalesce {

/// These functions return the current time, as local time or in UTC. `form` is a format for
/// strftime.
std::string local_time(const char* form);
std::string utc_time(const char* form);

}  // namespace coalesce
