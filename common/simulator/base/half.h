// The two 16-bit floating-point formats, as bits, to and from float.
#pragma once

#include <bit>

#include "base/types.h"

namespace coalesce::sim {

inline float half_to_float(u16 half) {
    const u32 sign = u32{half} >> 15 << 31, exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
    if (exponent) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;  // zero and subnormals
    return std::bit_cast<float>(sign | std::bit_cast<u32>(magnitude));
}

/// To the nearest, ties to even; too large becomes infinity, every NaN becomes 0x7fff.
inline u16 float_to_half(float value) {
    const u32 bits = std::bit_cast<u32>(value), magnitude = bits & 0x7fffffff;
    const u16 sign = static_cast<u16>(bits >> 16 & 0x8000);
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude >= 0x477ff000) return sign | 0x7c00;
    if (magnitude < 0x38800000) {
        // Adding 1/2 leaves the multiple of 2^-24, rounded, in the low bits.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<u16>(sign | (std::bit_cast<u32>(shifted) - 0x3f000000));
    }
    const u32 rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return static_cast<u16>(sign | ((rounded - 0x38000000) >> 13));
}

inline float bfloat_to_float(u16 bfloat) { return std::bit_cast<float>(u32{bfloat} << 16); }

/// To the nearest, ties to even; every NaN becomes 0x7fff.
inline u16 float_to_bfloat(float value) {
    const u32 bits = std::bit_cast<u32>(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return static_cast<u16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace coalesce::sim
