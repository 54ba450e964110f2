// The small floating-point formats: f16 and bf16 as values, and rounding to any format.
//
//           sign  exponent  fraction   NaN      largest
//     f16     1       5        10      0x7fff   65504
//     bf16    1       8         7      0x7fff   3.39e38
//     tf32    1       8        10      in the upper bits of an f32
//     e5m2    1       5         2      0x7f     57344
//     e4m3    1       4         3      0x7f     448, and no infinity
//
// Idea   Every value of these formats is exact in f32, and the product of two such values is exact
//        in f64. So arithmetic is done in the wider type and rounded once. If a sum is not exact
//        even in f64, it is rounded "to odd": its last bit records that bits were lost, so the
//        second rounding gives the correct result.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "simulator/base/float.h"
#include "simulator/base/types.h"

namespace coalesce::simulator {

struct F16 {
    u16 bits;
};
struct BF16 {
    u16 bits;
};
template <class T>
concept Half = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
/// Two values packed into one word, with the first in the lower half.
template <Half H>
struct PackedPair {
    using Each = H;
    u32 bits;
};
template <>
inline constexpr u16 kExponentBits<F16> = 0x7c00;
template <>
inline constexpr u16 kExponentBits<BF16> = 0x7f80;

// ---- f16 and bf16 <-> f32, rounded to nearest; branch-free, so that loops can be vectorized ----

inline float to_float(F16 value) {
    constexpr u32 kF16Infinity = 0x7c00;
    const u32 sign = u32{value.bits & 0x8000u} << 16, magnitude_bits = value.bits & 0x7fffu;
    // The shift leaves the exponent 112 too small, so multiply by 2^112.
    const float scaled_magnitude = std::bit_cast<float>(magnitude_bits << 13) * 0x1p112f;
    const u32 bits =
        std::bit_cast<u32>(scaled_magnitude) | (magnitude_bits >= kF16Infinity ? 0x7f800000u : 0);
    return std::bit_cast<float>(bits | sign);
}
inline float to_float(BF16 value) {
    return std::bit_cast<float>(u32{value.bits} << 16);
}

/// Converts a value to a type that C++ can compare and compute with: f16 and bf16 become float.
template <class T>
auto to_arithmetic(T value) {
    if constexpr (Half<T>)
        return to_float(value);
    else
        return value;
}

/// Returns bits >> shift, rounded to nearest, ties to even.
inline u32 shift_to_nearest(u32 bits, u32 shift) {
    const u32 half_unit = 1u << (shift - 1);
    return (bits + half_unit - 1 + (bits >> shift & 1)) >> shift;
}

inline F16 to_f16(float value) {
    const u32 bits = std::bit_cast<u32>(value), sign = bits >> 16 & 0x8000,
              magnitude_bits = bits & 0x7fffffff;
    const u32 normal_bits = shift_to_nearest(magnitude_bits - (112u << 23), 13);
    // Adding 0.5 aligns the last bit of an f16 subnormal with the last bit of the sum.
    const u32 subnormal_bits =
        std::bit_cast<u32>(std::bit_cast<float>(magnitude_bits) + 0.5f) - 0x3f000000u;
    u32 half_bits = magnitude_bits < 0x38800000u ? subnormal_bits : normal_bits;
    half_bits = magnitude_bits >= 0x477ff000u
                    ? 0x7c00u
                    : half_bits;  // values of 65520 and more become infinity
    return {static_cast<u16>(magnitude_bits > 0x7f800000u ? 0x7fffu : half_bits | sign)};
}
inline BF16 to_bf16(float value) {
    const u32 bits = std::bit_cast<u32>(value);
    return {
        static_cast<u16>((bits & 0x7fffffff) > 0x7f800000u ? 0x7fffu : shift_to_nearest(bits, 16))};
}

// ---- f64 -> f32, rounded to odd ----

/// Returns an exact value rounded to odd. `rounded` is the exact value rounded to nearest, and
/// `error` is the exact value minus `rounded`. Only the sign of `error` matters.
template <class T>
T round_to_odd(T rounded, T error) {
    const auto bits = std::bit_cast<BitPattern<T>>(rounded);
    const bool is_inexact =
        error != 0 && magnitude(rounded) <= std::bit_cast<T>(kExponentBits<T>) && error == error;
    const bool is_past_exact = is_inexact && rounded != 0 &&
                               // True if `rounded` is further from zero than the exact value.
                               (error < 0) == (rounded > 0);
    return std::bit_cast<T>(is_inexact ? (bits - is_past_exact) | 1 : bits);
}
inline float round_to_odd_float(double value) {
    const float rounded = static_cast<float>(value);
    const double error = value - static_cast<double>(rounded);
    // The error may be too small for an f32, but only its sign matters.
    return round_to_odd(rounded, error > 0 ? 1.0f : error < 0 ? -1.0f : static_cast<float>(error));
}
/// Returns a + b rounded to odd.
inline double add_rounding_to_odd(double a, double b) {
    const double sum = a + b, effective_b = sum - a;
    const double error = (a - (sum - effective_b)) + (b - effective_b);  // the exact rounding error
    return round_to_odd(sum, error);
}

inline F16 to_f16(double value) {
    return to_f16(round_to_odd_float(value));
}
inline BF16 to_bf16(double value) {
    return to_bf16(round_to_odd_float(value));
}
/// Converts a value to T, rounding to nearest.
template <class T>
T round_to_nearest(auto value) {
    if constexpr (std::is_same_v<T, F16>)
        return to_f16(value);
    else if constexpr (std::is_same_v<T, BF16>)
        return to_bf16(value);
    else
        return static_cast<T>(value);
}

// ---- arithmetic on f16 and bf16, rounding to nearest ----

template <Half H>
H operator+(H a, H b) {
    return round_to_nearest<H>(to_float(a) + to_float(b));
}
template <Half H>
H operator-(H a, H b) {
    return round_to_nearest<H>(to_float(a) - to_float(b));
}
inline F16 operator*(F16 a, F16 b) {
    return to_f16(to_float(a) * to_float(b));
}
/// Multiplies in double, where the product is exact, and rounds once. A product in float would be
/// rounded twice if it had bits below the smallest subnormal number.
inline BF16 operator*(BF16 a, BF16 b) {
    return to_bf16(double{to_float(a)} * double{to_float(b)});
}
template <Half H>
H fma(H a, H b, H c) {
    // The product is exact in double.
    const double product = double{to_float(a)} * double{to_float(b)};
    return round_to_nearest<H>(add_rounding_to_odd(product, double{to_float(c)}));
}

template <Half H>
H propagate_nan(H result, H) {
    return canonicalize_nan(result);
}
/// Returns `rounded` unchanged, because an operation on two or more operands has already produced
/// the correct NaN.
template <Half H, class... Sources>
H propagate_nan(H rounded, H, H, Sources...) {
    return rounded;
}
template <Half H>
H saturate_to_unit(H value) {
    return round_to_nearest<H>(saturate_to_unit(to_float(value)));
}

// ---- rounding in any direction to any format ----

struct FloatFormat {
    int fraction_bits;
    int min_exponent;   ///< the smallest exponent of a normal number
    u64 max_finite;     ///< the bit pattern of the largest finite number
    u64 infinity_bits;  ///< the bit pattern that results from an overflow
    u64 nan_bits;
    int sign_position;
};
inline constexpr FloatFormat kF16Format{10, -14, 0x7bff, 0x7c00, 0x7fff, 15};
inline constexpr FloatFormat kBF16Format{7, -126, 0x7f7f, 0x7f80, 0x7fff, 15};
inline constexpr FloatFormat kE4M3Format{3,    -6,   0x7e,
                                         0x7e, 0x7f, 7};  // an overflow gives the largest number
inline constexpr FloatFormat kE5M2Format{2, -14, 0x7b, 0x7c, 0x7f, 7};

/// A finite number: significand * 2^exponent, and a sign.
struct ExactValue {
    bool is_negative = false;
    u64 significand = 0;
    int exponent = 0;
};

/// Reports whether the magnitude of a truncated value must be rounded up. `is_odd` is true if the
/// last kept bit is 1. `remainder` is the part that was cut off, and `half_unit` is half the value
/// of the last kept bit.
inline bool rounds_up(Rounding direction, bool is_negative, bool is_odd, u64 remainder,
                      u64 half_unit) {
    switch (direction) {
        case Rounding::nearest: return remainder > half_unit || (remainder == half_unit && is_odd);
        case Rounding::zero: return false;
        case Rounding::down: return is_negative && remainder != 0;
        case Rounding::up: return !is_negative && remainder != 0;
    }
    return false;
}

/// Rounds a finite number to `format`, and returns its bits. On overflow, returns the largest
/// finite number or infinity, depending on the direction.
inline u64 round_to_format(const FloatFormat& format, ExactValue value, Rounding direction) {
    const u64 sign = u64{value.is_negative} << format.sign_position;
    if (value.significand == 0) return sign;
    // Shift the highest bit to position 62, so that rounding up never overflows.
    const int normalizing_shift = std::countl_zero(value.significand) - 1;
    if (normalizing_shift < 0) {
        value.significand = value.significand >> 1 | (value.significand & 1);
        value.exponent += 1;
    } else {
        value.significand <<= normalizing_shift;
        value.exponent -= normalizing_shift;
    }
    const int exponent = value.exponent + 62;  // the exponent of the highest bit
    int dropped_bits = 62 - format.fraction_bits;
    if (exponent < format.min_exponent) dropped_bits += format.min_exponent - exponent;
    // These initial values are used if all bits are dropped. The remainder is then less than half a
    // unit.
    u64 kept_bits = 0, remainder = 1, half_unit = 2;
    if (dropped_bits < 64) {
        kept_bits = value.significand >> dropped_bits;
        remainder = value.significand & ((u64{1} << dropped_bits) - 1);
        half_unit = u64{1} << (dropped_bits - 1);
    }
    kept_bits += rounds_up(direction, value.is_negative, kept_bits & 1, remainder, half_unit);
    // The sum below adds the implicit bit of a normal number, which raises the exponent by 1.
    const int exponent_field = std::max(exponent, format.min_exponent) - format.min_exponent;
    const u64 bits = kept_bits + (static_cast<u64>(exponent_field) << format.fraction_bits);
    if (bits <= format.max_finite) return bits | sign;
    const bool rounds_to_max = direction == Rounding::zero ||
                               direction == (value.is_negative ? Rounding::up : Rounding::down);
    return (rounds_to_max ? format.max_finite : format.infinity_bits) | sign;
}

inline ExactValue decompose(double finite_value) {
    const u64 bits = std::bit_cast<u64>(finite_value), fraction = bits & ((u64{1} << 52) - 1);
    const int exponent_field = static_cast<int>(bits >> 52 & 0x7ff);
    return {static_cast<bool>(bits >> 63), exponent_field ? fraction | u64{1} << 52 : fraction,
            (exponent_field ? exponent_field : 1) - 1075};
}

/// Rounds any double to `format`, and returns its bits. NaN and infinity become the format's own
/// NaN and infinity.
inline u64 round_to_format(const FloatFormat& format, double value, Rounding direction) {
    if (value != value) return format.nan_bits;
    if (std::isinf(value))
        return format.infinity_bits | u64{std::signbit(value)} << format.sign_position;
    return round_to_format(format, decompose(value), direction);
}

/// Converts the bits of a number in an 8-bit format to a float.
inline float decode_small_float(const FloatFormat& format, u32 bits) {
    const u32 magnitude_bits = bits & ((1u << format.sign_position) - 1);
    const float sign = bits >> format.sign_position & 1 ? -1.0f : 1.0f;
    if (magnitude_bits > format.max_finite) {
        const bool is_infinite = magnitude_bits == format.infinity_bits;
        return is_infinite ? sign * std::bit_cast<float>(0x7f800000u)
                           : std::bit_cast<float>(kCanonicalNan32);
    }
    const u32 exponent_field = magnitude_bits >> format.fraction_bits,
              fraction = magnitude_bits & ((1u << format.fraction_bits) - 1);
    const u32 significand = exponent_field ? fraction | 1u << format.fraction_bits : fraction;
    const int exponent =
        static_cast<int>(exponent_field ? exponent_field - 1 : 0) + format.min_exponent;
    return sign * std::ldexp(static_cast<float>(significand), exponent - format.fraction_bits);
}

}  // namespace coalesce::simulator
