#include "base/clock.h"

#include <ctime>

namespace coalesce {
namespace {

std::string format_time(const char* time_format,
                        std::tm* (*to_calendar_time)(const std::time_t*, std::tm*)) {
    const std::time_t now = std::time(nullptr);
    std::tm calendar_time{};
    to_calendar_time(&now, &calendar_time);
    char text[32];
    std::strftime(text, sizeof text, time_format, &calendar_time);
    return text;
}

}  // namespace

std::string local_time(const char* time_format) {
    return format_time(time_format, localtime_r);
}

std::string utc_time(const char* time_format) {
    return format_time(time_format, gmtime_r);
}

}  // namespace coalesce
