#include "harness/values.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/text.h"

namespace coalesce {
namespace {

double to_double(Bits bits, std::size_t element_size) {
    if (element_size == 8) return std::bit_cast<double>(bits.low);
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits.low));
}

bool is_subnormal(Bits bits, std::size_t element_size) {
    if (element_size == 8) return std::fpclassify(to_double(bits, 8)) == FP_SUBNORMAL;
    return (bits.low & 0x7f800000) == 0 && (bits.low & 0x007fffff) != 0;
}

/// Bounds of the integer types. The table below gives the name and range of each type, and is
/// indexed by Integer.
constexpr double kTwoTo31 = 2147483648.0, kTwoTo63 = 9223372036854775808.0;
constexpr struct {
    const char* name;
    double lowest, highest;
} kIntegerTypes[] = {{"int", -kTwoTo31, kTwoTo31 - 1},
                     {"unsigned", 0, 2 * kTwoTo31 - 1},
                     {"long long", -kTwoTo63, kTwoTo63}};

}  // namespace

ValueChange classify_change(Bits expected, Bits actual_bits, std::size_t element_size) {
    if (element_size != 4 && element_size != 8) return ValueChange::unrelated;
    const bool was_nan = is_nan(expected, element_size),
               is_nan_now = is_nan(actual_bits, element_size);
    if (was_nan && is_nan_now) return ValueChange::nan_changed;
    if (was_nan || is_nan_now) return ValueChange::unrelated;
    const double expected_value = to_double(expected, element_size),
                 actual_value = to_double(actual_bits, element_size);
    if (actual_value == 0 && expected_value == 0) return ValueChange::negative_zero_lost;
    if (actual_value == 0 && is_subnormal(expected, element_size))
        return ValueChange::subnormal_flushed;
    const bool has_same_sign = std::signbit(expected_value) == std::signbit(actual_value);
    if ((std::isinf(actual_value) || actual_value == 0) && has_same_sign)
        return ValueChange::out_of_range;
    if (actual_value == -expected_value) return ValueChange::sign_changed;
    if (std::abs(actual_value - expected_value) <= std::abs(expected_value) / 100)
        return ValueChange::close;
    return ValueChange::unrelated;
}

bool is_zero(Bits bits, std::size_t element_size) {
    return (element_size == 4 || element_size == 8) && to_double(bits, element_size) == 0;
}

bool is_sum(Bits actual_bits, Bits first_summand, Bits second_summand, std::size_t element_size) {
    if (element_size != 4 && element_size != 8) return false;
    const double a = to_double(first_summand, element_size),
                 b = to_double(second_summand, element_size);
    if (std::isnan(a) || std::isnan(b) || std::isnan(a + b))
        return is_nan(actual_bits, element_size);
    if (element_size == 8) return std::bit_cast<std::uint64_t>(a + b) == actual_bits.low;
    const float sum = static_cast<float>(a) + static_cast<float>(b);
    return std::bit_cast<std::uint32_t>(sum) == static_cast<std::uint32_t>(actual_bits.low);
}

const char* integer_type_name(Integer type) {
    return kIntegerTypes[static_cast<int>(type)].name;
}

bool is_converted(Bits actual_bits, Bits source, std::size_t element_size, Integer type) {
    if (element_size != 4 && element_size != 8) return false;
    const auto& [name, lowest, highest] = kIntegerTypes[static_cast<int>(type)];
    const double source_value = to_double(source, element_size),
                 actual_value = to_double(actual_bits, element_size);
    // The result of converting a NaN depends on the type and on the GPU, so accept every possible
    // result.
    if (std::isnan(source_value))
        return actual_value == 0 || actual_value == lowest || actual_value == -lowest;
    const double clamped_whole = std::trunc(std::min(std::max(source_value, lowest), highest));
    return actual_value == (element_size == 4
                                ? static_cast<double>(static_cast<float>(clamped_whole))
                                : clamped_whole);
}

std::string value_text(Bits bits, std::size_t element_size) {
    const auto low_bits = static_cast<unsigned long long>(bits.low);
    if (element_size == 16) {
        return format("0x%016llx%016llx", static_cast<unsigned long long>(bits.high), low_bits);
    }
    const std::string text = format("0x%0*llx", static_cast<int>(2 * element_size), low_bits);
    if (element_size < 4) return text;
    if (is_nan(bits, element_size)) return text + " (a NaN)";
    return text + format(" (%.*g)", element_size == 4 ? 9 : 17, to_double(bits, element_size));
}

}  // namespace coalesce
