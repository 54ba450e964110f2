#include "timing/figures.h"

#include <cmath>

#include "base/text.h"

namespace coalesce::timing {
namespace {

/// Rounds to `digits` significant digits. For example, 2368 rounded to three digits is 2370.
double round_to_digits(double value, int digits) {
    if (value == 0) return 0;
    const double last_digit_value =
        std::pow(10, std::floor(std::log10(std::abs(value))) + 1 - digits);
    // Divide by the inverse, which is an integer. A product such as 0.1 * 43 would be
    // 4.300000000000001.
    return last_digit_value < 1 ? std::round(value * std::round(1 / last_digit_value)) /
                                      std::round(1 / last_digit_value)
                                : std::round(value / last_digit_value) * last_digit_value;
}

/// Rounds to two significant digits, or to three if the first digit is 1, because two digits could
/// then be off by 5 %.
double round_for_display(double value) {
    const double two_digit_value = round_to_digits(value, 2);
    const double leading_digit =
        two_digit_value / std::pow(10, std::floor(std::log10(two_digit_value)));
    return round_to_digits(value, leading_digit < 2 ? 3 : 2);
}

/// Formats a value with its unit. The value is rounded to an integer, or to one decimal if it is
/// below 10.
std::string format_with_unit(double value, const char* unit) {
    return format_short(value < 10 ? round_to_digits(value, 2) : std::round(value)) + unit;
}

}  // namespace

bool is_nonzero_count(double value) {
    return std::isfinite(value) && value >= 1;
}

bool is_nonzero_fraction(double fraction) {
    return std::isfinite(fraction) && fraction >= 0.005;
}

std::string percent_text(double fraction) {
    return format_short(std::round(100 * fraction)) + " %";
}

std::string time_text(double ms) {
    if (ms >= 1000) return format_short(round_for_display(ms / 1000)) + " s";
    return ms >= 0.1 ? format_short(round_for_display(ms)) + " ms"
                     : format_short(round_for_display(ms * 1000)) + " us";
}

std::string bytes_text(double bytes) {
    constexpr double kilobyte = 1024, megabyte = kilobyte * kilobyte;
    // Switch to the next unit at 1000, so that numbers have at most three digits.
    if (bytes < 1000) return format_short(std::round(bytes)) + " bytes";
    return bytes < 1000 * kilobyte ? format_with_unit(bytes / kilobyte, " KB")
                                   : format_with_unit(bytes / megabyte, " MB");
}

std::string traffic_text(double bytes) {
    if (bytes < 1e3) return format_short(std::round(bytes)) + " bytes";
    if (bytes < 1e6) return format_with_unit(bytes / 1e3, " KB");
    return bytes < 1e9 ? format_with_unit(bytes / 1e6, " MB")
                       : format_with_unit(bytes / 1e9, " GB");
}

std::string number_text(double count) {
    return format_short(count < 100     ? std::round(count)
                        : count < 10000 ? std::round(count / 10) * 10
                                        : round_to_digits(count, 3));
}

std::string ratio_text(double ratio) {
    return format_short(ratio < 10 ? round_to_digits(ratio, ratio < 1.2 ? 3 : 2)
                                   : std::round(ratio));
}

}  // namespace coalesce::timing
