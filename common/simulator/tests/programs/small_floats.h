// Arithmetic on small floating-point formats on the host. A double represents every value exactly.
// Converting a result back to the small format rounds it once.
#pragma once

#include <cfenv>
#include <cmath>

#include "device_function.h"

enum class Towards { nearest, zero, down, up, away_at_ties };

struct SmallFormat {
    int exponent_bits, fraction_bits;
    /// if false, normal numbers use the largest exponent, and a NaN is all ones
    bool has_infinity = true;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    u32 sign() const { return 1u << (exponent_bits + fraction_bits); }
    u32 infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
    u32 nan() const { return sign() - 1; }
    u32 largest() const { return has_infinity ? infinity() - 1 : nan() - 1; }
};
constexpr SmallFormat kHalf{5, 10}, kBrain{8, 7}, kTensor32{8, 10}, kE5M2{5, 2}, kE4M3{4, 3, false};

inline bool is_nan(const SmallFormat& f, u32 bits) {
    const u32 rest = bits & (f.sign() - 1);
    return f.has_infinity ? rest > f.infinity() : rest == f.nan();
}

inline double value_of(const SmallFormat& f, u32 bits) {
    const u32 rest = bits & (f.sign() - 1);
    double size;
    if (is_nan(f, bits))
        size = NAN;
    else if (f.has_infinity && rest == f.infinity())
        size = INFINITY;
    else {
        const int exponent = static_cast<int>(rest >> f.fraction_bits);
        const u32 fraction = rest & ((1u << f.fraction_bits) - 1);
        const u32 whole = exponent ? fraction | 1u << f.fraction_bits : fraction;
        size = std::ldexp(whole, std::max(exponent, 1) - f.bias() - f.fraction_bits);
    }
    return bits & f.sign() ? -size : size;
}

/// Rounds the magnitude `size`, in units of the last place, to an integer.
inline double to_whole(double size, Towards towards, bool is_negative) {
    const double below = std::floor(size), rest = size - below;
    bool up = false;
    switch (towards) {
        case Towards::nearest: up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) == 1); break;
        case Towards::away_at_ties: up = rest >= 0.5; break;
        case Towards::zero: break;
        case Towards::down: up = is_negative && rest > 0; break;
        case Towards::up: up = !is_negative && rest > 0; break;
    }
    return below + up;
}

/// Returns the bits of `value`, rounded once. A NaN is all ones without the sign.
inline u32 round_to(const SmallFormat& f, double value, Towards towards = Towards::nearest) {
    if (value != value) return f.nan();
    const bool is_negative = std::signbit(value);
    const u32 sign = is_negative ? f.sign() : 0;
    const double size = std::fabs(value);
    if (size == 0) return sign;
    const u32 beyond = f.has_infinity ? f.infinity() : f.nan();
    if (std::isinf(size)) return sign | beyond;

    const int smallest = 1 - f.bias();
    const int exponent = std::max(std::ilogb(size), smallest);
    const double units =
        to_whole(std::ldexp(size, f.fraction_bits - exponent), towards, is_negative);
    // The leading one of a normal number adds 1 to the exponent field, and so does a carry.
    const double bits = units + std::ldexp(exponent - smallest, f.fraction_bits);
    if (bits <= f.largest()) return sign | static_cast<u32>(bits);
    const bool stays_finite = towards == Towards::zero ||
                              (towards == Towards::down && !is_negative) ||
                              (towards == Towards::up && is_negative);
    return sign | (stays_finite ? f.largest() : beyond);
}

/// Returns the result of operation(), rounded to odd: the last bit is set if the result is inexact.
/// Such a result can be rounded again to a much smaller format without error.
template <class Operation>
double to_odd(Operation operation) {
    std::fesetround(FE_TOWARDZERO);
    std::feclearexcept(FE_INEXACT);
    volatile double result = operation();
    const bool lost = std::fetestexcept(FE_INEXACT);
    std::fesetround(FE_TONEAREST);
    return lost ? bits_as<double>(bits_as<u64>(static_cast<double>(result)) | 1) : result;
}
