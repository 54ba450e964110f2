// Properties of the device's floating-point instructions that go beyond IEEE arithmetic: a single
// NaN, flushing of subnormals, saturation, and a rounding direction for each instruction.
#pragma once

#include <bit>
#include <cmath>
#include <type_traits>

#if defined(__SSE2__)
#    include <xmmintrin.h>
#else
#    include <cfenv>
#endif

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// A type for a floating-point format that C++ does not have: a struct whose only member, `bits`,
/// contains the bits of the number (half.h).
template <class T>
concept Packed = requires(T value) {
    value.bits;
};

template <class T>
using BitPattern =
    std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;

template <class T>
BitPattern<T> bit_pattern(T value) {
    if constexpr (Packed<T>)
        return value.bits;
    else
        return std::bit_cast<BitPattern<T>>(value);
}
template <class T>
T make_from_bit_pattern(auto bits) {
    const auto pattern = static_cast<BitPattern<T>>(bits);
    if constexpr (Packed<T>)
        return {pattern};
    else
        return std::bit_cast<T>(pattern);
}

template <class T>
constexpr BitPattern<T> kSignBit = static_cast<BitPattern<T>>(BitPattern<T>{1}
                                                              << (8 * sizeof(T) - 1));
template <class T>
constexpr BitPattern<T> kExponentBits = sizeof(T) == 8 ? 0x7ff0000000000000u : 0x7f800000u;

template <class T>
T magnitude(T value) {
    return make_from_bit_pattern<T>(bit_pattern(value) & ~kSignBit<T>);
}
template <class T>
T copy_sign(T value, T sign) {
    return make_from_bit_pattern<T>((bit_pattern(value) & ~kSignBit<T>) |
                                    (bit_pattern(sign) & kSignBit<T>));
}

/// Replaces a subnormal with a zero of the same sign.
template <class T>
T flush_subnormal(T value) {
    const auto bits = bit_pattern(value);
    return make_from_bit_pattern<T>((bits & kExponentBits<T>) == 0 ? bits & kSignBit<T> : bits);
}

template <class T>
bool is_nan(T value) {
    if constexpr (Packed<T>)
        return bit_pattern(magnitude(value)) > kExponentBits<T>;
    else
        return value != value;
}

/// The NaN that single-precision arithmetic returns for any NaN operand.
inline constexpr u32 kCanonicalNan32 = 0x7fffffffu;

/// Replaces any NaN with the only NaN that instructions of this format return. Must not be used for
/// double precision, whose instructions return the NaN operand itself.
template <class T>
T canonicalize_nan(T value) {
    return is_nan(value) ? make_from_bit_pattern<T>(~kSignBit<T>) : value;
}

/// Returns `result` if no operand is a NaN. Otherwise returns the NaN that the device returns. In
/// double precision, this is the NaN operand itself, converted to a quiet NaN. If several operands
/// are NaN, the second takes precedence, then the third, then the first.
template <class... Sources>
float propagate_nan(float result, Sources...) {
    return canonicalize_nan(result);
}
inline double make_quiet(double nan) {
    return std::bit_cast<double>(std::bit_cast<u64>(nan) | u64{1} << 51);
}
/// Replaces a NaN result with the NaN of the device. For example, infinity minus infinity is a
/// negative NaN on the device and on x86, but a positive NaN on other processors. No operand may be
/// a NaN.
inline double propagate_nan(double result) {
#ifdef __x86_64__
    return result;
#else
    return result == result ? result : std::bit_cast<double>(u64{0xfff8} << 48);
#endif
}
inline double propagate_nan(double result, double a) {
    return a != a ? make_quiet(a) : propagate_nan(result);
}
inline double propagate_nan(double result, double a, double b) {
    return b != b ? make_quiet(b) : propagate_nan(result, a);
}
inline double propagate_nan(double result, double a, double b, double c) {
    return b != b ? make_quiet(b) : propagate_nan(result, a, c);
}

/// Clamps a value to [0, 1]. NaN and -0 become +0.
template <class T>
T saturate_to_unit(T value) {
    const T at_least_0 = value > 0 ? value : T{0};
    return at_least_0 < 1 ? at_least_0 : T{1};
}

enum class Rounding : u8 { nearest, zero, down, up };

/// Rounds a value to an integer in the given direction.
template <class T>
T round_to_integer(T value, Rounding direction) {
    switch (direction) {
        case Rounding::nearest: return std::nearbyint(value);
        case Rounding::zero: return std::trunc(value);
        case Rounding::down: return std::floor(value);
        default: return std::ceil(value);
    }
}

/// An object that sets the host processor's rounding direction for as long as it exists.
///
/// The compiler does not know that arithmetic depends on the rounding direction. Compiler barriers
/// in the constructor and the destructor keep the computation between them.
class ScopedRounding {
public:
    explicit ScopedRounding(Rounding direction) { set_rounding_mode(direction); }
    ~ScopedRounding() { set_rounding_mode(Rounding::nearest); }
    ScopedRounding(const ScopedRounding&) = delete;
    ScopedRounding& operator=(const ScopedRounding&) = delete;

private:
    static void set_rounding_mode(Rounding direction) {
        asm volatile("" ::: "memory");
#if defined(__SSE2__)
        constexpr u32 kHostModes[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN,
                                      _MM_ROUND_UP};
        _MM_SET_ROUNDING_MODE(kHostModes[static_cast<int>(direction)]);
#else
        constexpr int kHostModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        std::fesetround(kHostModes[static_cast<int>(direction)]);
#endif
        asm volatile("" ::: "memory");
    }
};
}  // namespace coalesce::simulator
