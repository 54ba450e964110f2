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
    const char* vector_name;
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
Value load(const void* source) {
    Value value;
    std::memcpy(&value, source, sizeof value);
    return value;
}

/// Converts a 16-bit floating-point number with the given exponent and mantissa widths to double.
double decode_float(std::uint16_t bits, int exponent_bits, int mantissa_bits) {
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
std::uint16_t encode_float(double value, int exponent_bits, int mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits);
    if (std::isnan(value)) return static_cast<std::uint16_t>(infinity | 1);
    value = std::abs(value);
    if (value == 0) return sign;
    int exponent = 0;
    static_cast<void>(std::frexp(value, &exponent));
    const int unit_exponent = std::max(exponent - 1, 1 - bias) - mantissa_bits;
    const double scaled_value = std::nearbyint(std::ldexp(value, -unit_exponent));
    if (std::ldexp(scaled_value, unit_exponent) >= std::ldexp(2.0, bias)) {
        return static_cast<std::uint16_t>(sign | infinity);
    }
    // Add the exponent instead of inserting its bits. If rounding overflows the mantissa, the carry
    // then increments the exponent.
    const int biased_exponent = unit_exponent + mantissa_bits + bias - 1;
    return static_cast<std::uint16_t>(
        sign | (static_cast<int>(scaled_value) + (biased_exponent << mantissa_bits)));
}

constexpr int kHalfExponent = 5, kHalfMantissa = 10, kBfloatExponent = 8, kBfloatMantissa = 7;

template <class Integer>
void write_integer(double value, void* target) {
    using Limits = std::numeric_limits<Integer>;
    Integer integer = 0;
    if (value >= static_cast<double>(Limits::max())) {
        integer = Limits::max();
    } else if (value > static_cast<double>(Limits::min())) {
        integer = static_cast<Integer>(value);
    } else {
        integer = Limits::min();
    }
    std::memcpy(target, &integer, sizeof integer);
}

}  // namespace

int ElementType::precision_bits() const {
    if (scalar == Scalar::bfloat16) return kBfloatMantissa + 1;
    if (scalar != Scalar::floating) return static_cast<int>(8 * scalar_bytes);
    return scalar_bytes == 2 ? kHalfMantissa + 1 : scalar_bytes == 4 ? 24 : 53;
}

double ElementType::read_value(const void* source) const {
    if (scalar == Scalar::bfloat16) {
        return decode_float(load<std::uint16_t>(source), kBfloatExponent, kBfloatMantissa);
    }
    if (scalar == Scalar::floating) {
        if (scalar_bytes == 2) {
            return decode_float(load<std::uint16_t>(source), kHalfExponent, kHalfMantissa);
        }
        return scalar_bytes == 4 ? static_cast<double>(load<float>(source)) : load<double>(source);
    }
    const bool is_signed = scalar == Scalar::signed_integer;
    switch (scalar_bytes) {
        case 1: return is_signed ? load<std::int8_t>(source) : load<std::uint8_t>(source);
        case 2: return is_signed ? load<std::int16_t>(source) : load<std::uint16_t>(source);
        // Do not use a conditional expression here. Its type would be unsigned, so negative numbers
        // would change.
        case 4:
            if (is_signed) return load<std::int32_t>(source);
            return load<std::uint32_t>(source);
        default:
            return is_signed ? static_cast<double>(load<std::int64_t>(source))
                             : static_cast<double>(load<std::uint64_t>(source));
    }
}

void ElementType::write_value(double value, void* target) const {
    const bool is_signed = scalar == Scalar::signed_integer;
    if (scalar == Scalar::bfloat16 || (scalar == Scalar::floating && scalar_bytes == 2)) {
        const std::uint16_t bits = scalar == Scalar::bfloat16
                                       ? encode_float(value, kBfloatExponent, kBfloatMantissa)
                                       : encode_float(value, kHalfExponent, kHalfMantissa);
        std::memcpy(target, &bits, sizeof bits);
    } else if (scalar == Scalar::floating && scalar_bytes == 4) {
        const auto float_value = static_cast<float>(value);
        std::memcpy(target, &float_value, sizeof float_value);
    } else if (scalar == Scalar::floating) {
        std::memcpy(target, &value, sizeof value);
    } else if (scalar_bytes == 1) {
        is_signed ? write_integer<std::int8_t>(value, target)
                  : write_integer<std::uint8_t>(value, target);
    } else if (scalar_bytes == 2) {
        is_signed ? write_integer<std::int16_t>(value, target)
                  : write_integer<std::uint16_t>(value, target);
    } else if (scalar_bytes == 4) {
        is_signed ? write_integer<std::int32_t>(value, target)
                  : write_integer<std::uint32_t>(value, target);
    } else {
        is_signed ? write_integer<std::int64_t>(value, target)
                  : write_integer<std::uint64_t>(value, target);
    }
}

double ElementType::distance_in_ulps(const void* left_value, const void* right_value) const {
    const auto ulp_rank = [&](const void* source) -> double {
        if (is_integer()) return read_value(source);
        std::uint64_t bits = 0;
        std::memcpy(&bits, source, scalar_bytes);
        const std::uint64_t sign = std::uint64_t{1} << (8 * scalar_bytes - 1);
        return bits & sign ? -static_cast<double>(bits & ~sign) : static_cast<double>(bits);
    };
    return std::abs(ulp_rank(left_value) - ulp_rank(right_value));
}

std::string ElementType::format_element(const void* source) const {
    const auto* bytes = static_cast<const char*>(source);
    const auto component = [&](int i) -> std::string {
        const void* at = bytes + static_cast<std::size_t>(i) * scalar_bytes;
        if (is_integer() && scalar_bytes == 8) {
            return scalar == Scalar::signed_integer ? std::to_string(load<std::int64_t>(at))
                                                    : std::to_string(load<std::uint64_t>(at));
        }
        return format("%.9g", read_value(at));
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
    for (const ScalarName& scalar_name : kScalars) {
        if (name == scalar_name.name)
            return ElementType{scalar_name.name, scalar_name.scalar, scalar_name.bytes, 1};
        const std::string_view vector = scalar_name.vector_name;
        if (vector.empty() || !name.starts_with(vector)) continue;
        const std::string length = name.substr(vector.size());
        const bool is_pair_only = scalar_name.scalar == Scalar::bfloat16 || vector == "__half";
        if (length == "2" || (!is_pair_only && (length == "3" || length == "4"))) {
            return ElementType{name, scalar_name.scalar, scalar_name.bytes, length.front() - '0'};
        }
    }
    return std::nullopt;
}

}  // namespace coalesce
