#include "base/clock.h"

#include <ctime>

namespace coalesce {
namespace {

std::string format_time(const char* form, std::tm* (*parts_of)(const std::time_t*, std::tm*)) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    parts_of(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, form, &parts);
    return text;
}

}  // namespace

std::string local_time(const char* form) {
    return format_time(form, localtime_r);
}

std::string utc_time(const char* form) {
    return format_time(form, gmtime_r);
}

}  // namespace coalesce
