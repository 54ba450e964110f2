#include "timing/figures.h"

#include <cmath>

#include "base/text.h"

namespace coalesce::timing {
namespace {

/// Rounds to `digits` significant digits. With three, 2368 becomes 2370.
double with_digits(double value, int digits) {
    if (value == 0) return 0;
    const double last = std::pow(10, std::floor(std::log10(std::abs(value))) + 1 - digits);
    // Divide by the inverse, which is a whole number: 0.1 * 43 would be 4.300000000000001.
    return last < 1 ? std::round(value * std::round(1 / last)) / std::round(1 / last)
                    : std::round(value / last) * last;
}

/// Rounds to two digits, or to three if the first is 1, because two would mean an error of 5 %.
double said(double value) {
    const double coarse = with_digits(value, 2);
    const double first = coarse / std::pow(10, std::floor(std::log10(coarse)));
    return with_digits(value, first < 2 ? 3 : 2);
}

/// Formats a value with its unit: as a whole number, or with one decimal if it is below 10.
std::string in_unit(double value, const char* unit) {
    return short_number(value < 10 ? with_digits(value, 2) : std::round(value)) + unit;
}

}  // namespace

bool is_count(double value) {
    return std::isfinite(value) && value >= 1;
}

bool is_part(double part) {
    return std::isfinite(part) && part >= 0.005;
}

std::string percent_text(double part) {
    return short_number(std::round(100 * part)) + " %";
}

std::string time_text(double ms) {
    if (ms >= 1000) return short_number(said(ms / 1000)) + " s";
    return ms >= 0.1 ? short_number(said(ms)) + " ms" : short_number(said(ms * 1000)) + " us";
}

std::string bytes_text(double bytes) {
    constexpr double kilo = 1024, mega = kilo * kilo;
    // From 1000 on the next unit is used, so that no number has four digits.
    if (bytes < 1000) return short_number(std::round(bytes)) + " bytes";
    return bytes < 1000 * kilo ? in_unit(bytes / kilo, " KB") : in_unit(bytes / mega, " MB");
}

std::string traffic_text(double bytes) {
    if (bytes < 1e3) return short_number(std::round(bytes)) + " bytes";
    if (bytes < 1e6) return in_unit(bytes / 1e3, " KB");
    return bytes < 1e9 ? in_unit(bytes / 1e6, " MB") : in_unit(bytes / 1e9, " GB");
}

std::string number_text(double count) {
    return short_number(count < 100     ? std::round(count)
                        : count < 10000 ? std::round(count / 10) * 10
                                        : with_digits(count, 3));
}

std::string times_text(double ratio) {
    return short_number(ratio < 10 ? with_digits(ratio, ratio < 1.2 ? 3 : 2) : std::round(ratio));
}

}  // namespace coalesce::timing
