#include "harness/values.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/text.h"

namespace coalesce {
namespace {

double number_of(Bits bits, std::size_t element_size) {
    if (element_size == 8) return std::bit_cast<double>(bits.low);
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits.low));
}

bool is_subnormal(Bits bits, std::size_t element_size) {
    if (element_size == 8) return std::fpclassify(number_of(bits, 8)) == FP_SUBNORMAL;
    return (bits.low & 0x7f800000) == 0 && (bits.low & 0x007fffff) != 0;
}

}  // namespace

ValueChange change_of(Bits expected, Bits held, std::size_t element_size) {
    if (element_size != 4 && element_size != 8) return ValueChange::unrelated;
    const bool was_nan = is_nan(expected, element_size), is_nan_now = is_nan(held, element_size);
    if (was_nan && is_nan_now) return ValueChange::nan_changed;
    if (was_nan || is_nan_now) return ValueChange::unrelated;
    const double was = number_of(expected, element_size), now = number_of(held, element_size);
    if (now == 0 && was == 0) return ValueChange::negative_zero_lost;
    if (now == 0 && is_subnormal(expected, element_size)) return ValueChange::subnormal_flushed;
    const bool same_sign = std::signbit(was) == std::signbit(now);
    if ((std::isinf(now) || now == 0) && same_sign) return ValueChange::lost_range;
    if (now == -was) return ValueChange::sign_changed;
    if (std::abs(now - was) <= std::abs(was) / 100) return ValueChange::close;
    return ValueChange::unrelated;
}

bool is_zero(Bits bits, std::size_t element_size) {
    return (element_size == 4 || element_size == 8) && number_of(bits, element_size) == 0;
}

bool is_sum(Bits held, Bits one, Bits other, std::size_t element_size) {
    if (element_size != 4 && element_size != 8) return false;
    const double a = number_of(one, element_size), b = number_of(other, element_size);
    if (std::isnan(a) || std::isnan(b) || std::isnan(a + b)) return is_nan(held, element_size);
    if (element_size == 8) return std::bit_cast<std::uint64_t>(a + b) == held.low;
    const float sum = static_cast<float>(a) + static_cast<float>(b);
    return std::bit_cast<std::uint32_t>(sum) == static_cast<std::uint32_t>(held.low);
}

const char* name_of(Integer type) {
    switch (type) {
        case Integer::signed_32: return "int";
        case Integer::unsigned_32: return "unsigned";
        case Integer::signed_64: return "long long";
    }
    return "";
}

bool is_converted(Bits held, Bits from, std::size_t element_size, Integer type) {
    if (element_size != 4 && element_size != 8) return false;
    constexpr double two_to_31 = 2147483648.0, two_to_63 = 9223372036854775808.0;
    const double lowest = type == Integer::signed_32     ? -two_to_31
                          : type == Integer::unsigned_32 ? 0.0
                                                         : -two_to_63;
    const double highest = type == Integer::signed_32     ? two_to_31 - 1
                           : type == Integer::unsigned_32 ? 2 * two_to_31 - 1
                                                          : two_to_63;
    const double was = number_of(from, element_size), is = number_of(held, element_size);
    // What becomes of a NaN differs between the types and from GPU to GPU.
    if (std::isnan(was)) return is == 0 || is == lowest || is == -lowest;
    const double whole = std::trunc(std::min(std::max(was, lowest), highest));
    return is == (element_size == 4 ? static_cast<double>(static_cast<float>(whole)) : whole);
}

std::string value_text(Bits bits, std::size_t element_size) {
    const auto low = static_cast<unsigned long long>(bits.low);
    if (element_size == 16) {
        return format("0x%016llx%016llx", static_cast<unsigned long long>(bits.high), low);
    }
    const std::string text = format("0x%0*llx", static_cast<int>(2 * element_size), low);
    if (element_size < 4) return text;
    if (is_nan(bits, element_size)) return text + " (a NaN)";
    return text + format(" (%.*g)", element_size == 4 ? 9 : 17, number_of(bits, element_size));
}

}  // namespace coalesce
