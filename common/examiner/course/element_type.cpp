#include "examiner/course/element_type.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "harness/text.h"

namespace coalesce {
namespace {

struct ScalarName {
    const char* name;  ///< canonical name, as it appears in demangled kernel names
    /// Prefix of the names of the corresponding vector types, such as "uint" for uint4; "" if there
    /// are none.
    const char* vector_of;
    Scalar scalar;
    std::size_t bytes;
};

constexpr ScalarName kScalars[] = {
    {"char", "", Scalar::signed_integer, 1},
    {"signed char", "char", Scalar::signed_integer, 1},
    {"unsigned char", "uchar", Scalar::unsigned_integer, 1},
    {"short", "short", Scalar::signed_integer, 2},
    {"unsigned short", "ushort", Scalar::unsigned_integer, 2},
    {"int", "int", Scalar::signed_integer, 4},
    {"unsigned int", "uint", Scalar::unsigned_integer, 4},
    {"long", "", Scalar::signed_integer, 8},
    {"unsigned long", "", Scalar::unsigned_integer, 8},
    {"long long", "longlong", Scalar::signed_integer, 8},
    {"unsigned long long", "ulonglong", Scalar::unsigned_integer, 8},
    {"__half", "__half", Scalar::floating, 2},
    {"__nv_bfloat16", "__nv_bfloat16", Scalar::bfloat16, 2},
    {"float", "float", Scalar::floating, 4},
    {"double", "double", Scalar::floating, 8},
};

/// Alternative spellings of element types, each with the type's canonical name.
constexpr std::pair<const char*, const char*> kAliases[] = {
    {"unsigned", "unsigned int"},     {"half", "__half"},
    {"nv_bfloat16", "__nv_bfloat16"}, {"int8_t", "signed char"},
    {"uint8_t", "unsigned char"},     {"int16_t", "short"},
    {"uint16_t", "unsigned short"},   {"int32_t", "int"},
    {"uint32_t", "unsigned int"},     {"int64_t", "long"},
    {"uint64_t", "unsigned long"},
};

template <class Value>
Value load(const void* from) {
    Value value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// Converts a 16-bit floating-point number with the given exponent and mantissa widths to double.
double widen(std::uint16_t bits, int exponent_bits, int mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
    const double fraction =
        static_cast<double>(bits & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1) {
        return fraction == 0 ? sign * HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
    }
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
    return sign * std::ldexp(1 + fraction, exponent - bias);
}

/// Converts a number to a 16-bit floating-point format with the given exponent and mantissa widths.
/// Rounds to the nearest value, with ties to even.
std::uint16_t narrow(double value, int exponent_bits, int mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits);
    if (std::isnan(value)) return static_cast<std::uint16_t>(infinity | 1);
    value = std::abs(value);
    if (value == 0) return sign;
    int exponent = 0;
    static_cast<void>(std::frexp(value, &exponent));
    const int unit = std::max(exponent - 1, 1 - bias) - mantissa_bits;
    const double units = std::nearbyint(std::ldexp(value, -unit));
    if (std::ldexp(units, unit) >= std::ldexp(2.0, bias)) {
        return static_cast<std::uint16_t>(sign | infinity);
    }
    // Add the exponent instead of inserting its bits. If rounding overflows the mantissa, the carry
    // then increments the exponent.
    const int above = unit + mantissa_bits + bias - 1;
    return static_cast<std::uint16_t>(sign | (static_cast<int>(units) + (above << mantissa_bits)));
}

constexpr int kHalfExponent = 5, kHalfMantissa = 10, kBfloatExponent = 8, kBfloatMantissa = 7;

template <class Integer>
void write_integer(double value, void* to) {
    using Limits = std::numeric_limits<Integer>;
    Integer whole = 0;
    if (value >= static_cast<double>(Limits::max())) {
        whole = Limits::max();
    } else if (value > static_cast<double>(Limits::min())) {
        whole = static_cast<Integer>(value);
    } else {
        whole = Limits::min();
    }
    std::memcpy(to, &whole, sizeof whole);
}

}  // namespace

int ElementType::precision_bits() const {
    if (scalar == Scalar::bfloat16) return kBfloatMantissa + 1;
    if (scalar != Scalar::floating) return static_cast<int>(8 * scalar_bytes);
    return scalar_bytes == 2 ? kHalfMantissa + 1 : scalar_bytes == 4 ? 24 : 53;
}

double ElementType::read(const void* from) const {
    if (scalar == Scalar::bfloat16) {
        return widen(load<std::uint16_t>(from), kBfloatExponent, kBfloatMantissa);
    }
    if (scalar == Scalar::floating) {
        if (scalar_bytes == 2) {
            return widen(load<std::uint16_t>(from), kHalfExponent, kHalfMantissa);
        }
        return scalar_bytes == 4 ? static_cast<double>(load<float>(from)) : load<double>(from);
    }
    const bool is_signed = scalar == Scalar::signed_integer;
    switch (scalar_bytes) {
        case 1: return is_signed ? load<std::int8_t>(from) : load<std::uint8_t>(from);
        case 2: return is_signed ? load<std::int16_t>(from) : load<std::uint16_t>(from);
        // Do not use a conditional expression here. Its type would be unsigned, so negative numbers
        // would change.
        case 4:
            if (is_signed) return load<std::int32_t>(from);
            return load<std::uint32_t>(from);
        default:
            return is_signed ? static_cast<double>(load<std::int64_t>(from))
                             : static_cast<double>(load<std::uint64_t>(from));
    }
}

void ElementType::write(double value, void* to) const {
    const bool is_signed = scalar == Scalar::signed_integer;
    if (scalar == Scalar::bfloat16 || (scalar == Scalar::floating && scalar_bytes == 2)) {
        const std::uint16_t bits = scalar == Scalar::bfloat16
                                       ? narrow(value, kBfloatExponent, kBfloatMantissa)
                                       : narrow(value, kHalfExponent, kHalfMantissa);
        std::memcpy(to, &bits, sizeof bits);
    } else if (scalar == Scalar::floating && scalar_bytes == 4) {
        const auto single = static_cast<float>(value);
        std::memcpy(to, &single, sizeof single);
    } else if (scalar == Scalar::floating) {
        std::memcpy(to, &value, sizeof value);
    } else if (scalar_bytes == 1) {
        is_signed ? write_integer<std::int8_t>(value, to) : write_integer<std::uint8_t>(value, to);
    } else if (scalar_bytes == 2) {
        is_signed ? write_integer<std::int16_t>(value, to)
                  : write_integer<std::uint16_t>(value, to);
    } else if (scalar_bytes == 4) {
        is_signed ? write_integer<std::int32_t>(value, to)
                  : write_integer<std::uint32_t>(value, to);
    } else {
        is_signed ? write_integer<std::int64_t>(value, to)
                  : write_integer<std::uint64_t>(value, to);
    }
}

double ElementType::distance_in_ulps(const void* one, const void* other) const {
    const auto rank = [&](const void* from) -> double {
        if (is_integer()) return read(from);
        std::uint64_t bits = 0;
        std::memcpy(&bits, from, scalar_bytes);
        const std::uint64_t sign = std::uint64_t{1} << (8 * scalar_bytes - 1);
        return bits & sign ? -static_cast<double>(bits & ~sign) : static_cast<double>(bits);
    };
    return std::abs(rank(one) - rank(other));
}

std::string ElementType::format_element(const void* from) const {
    const auto* bytes = static_cast<const char*>(from);
    const auto component = [&](int i) -> std::string {
        const void* at = bytes + static_cast<std::size_t>(i) * scalar_bytes;
        if (is_integer() && scalar_bytes == 8) {
            return scalar == Scalar::signed_integer ? std::to_string(load<std::int64_t>(at))
                                                    : std::to_string(load<std::uint64_t>(at));
        }
        return format("%.9g", read(at));
    };
    if (components == 1) return component(0);
    std::string text = "(";
    for (int i = 0; i < components; ++i) text += (i == 0 ? "" : ", ") + component(i);
    return text + ")";
}

std::optional<ElementType> find_element_type(const std::string& name) {
    for (const auto& [alias, meaning] : kAliases) {
        if (name == alias) return find_element_type(meaning);
    }
    for (const ScalarName& one : kScalars) {
        if (name == one.name) return ElementType{one.name, one.scalar, one.bytes, 1};
        const std::string_view vector = one.vector_of;
        if (vector.empty() || !name.starts_with(vector)) continue;
        const std::string length = name.substr(vector.size());
        const bool is_pair_only = one.scalar == Scalar::bfloat16 || vector == "__half";
        if (length == "2" || (!is_pair_only && (length == "3" || length == "4"))) {
            return ElementType{name, one.scalar, one.bytes, length.front() - '0'};
        }
    }
    return std::nullopt;
}

}  // namespace coalesce
