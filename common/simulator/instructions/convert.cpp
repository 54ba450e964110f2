// cvt between integers, f32 and f64, and from f16 and bf16.
//
// Rules  A conversion between integers truncates, or clamps with .sat. A conversion from float to
//        integer uses the instruction's rounding mode (such as .rzi) and always clamps. A NaN
//        becomes 0, or a value with only the highest bit set if one of the types has 64 bits. A
//        conversion to float uses the instruction's rounding mode (such as .rn), and .sat clamps
//        the result to [0, 1].
// Next   convert_small.cpp converts to f16, bf16 and smaller formats, and from the smaller formats.
#include <limits>

#include "simulator/instructions/families.h"

namespace coalesce::simulator::convert_instructions {
namespace {

using ptx::Type;

template <class Make>
LaneInstruction make_for_all_integers(Type type, Make make) {
    if (type == Type::s8) return make(Tag<i8>{});
    if (type == Type::u8 || type == Type::b8) return make(Tag<u8>{});
    return make_for_integers(type, make);
}

/// Converts like a C++ cast.
template <class D>
struct Cast {
    template <class A>
    static D apply(A a) {
        return static_cast<D>(a);
    }
};

// ---- integer -> integer ----

/// Clamps an integer to the range of any integer type of up to 64 bits.
struct ClampInteger {
    struct Request {
        int bits;
        bool is_signed;
    };
    template <class A>
    static u64 apply(const Request& limits, A a) {
        const u64 all_ones = ~u64{0} >> (64 - limits.bits);
        const i64 lowest = limits.is_signed ? -static_cast<i64>(all_ones >> 1) - 1 : 0;
        const u64 highest = limits.is_signed ? all_ones >> 1 : all_ones;
        if (std::cmp_less(a, lowest)) return static_cast<u64>(lowest) & all_ones;
        return std::cmp_greater(a, highest) ? highest : static_cast<u64>(a) & all_ones;
    }
};
/// Like ClampInteger, but for results that are stored in 32-bit lanes.
struct ClampShort {
    using Request = ClampInteger::Request;
    static u32 apply(const Request& limits, auto a) {
        return static_cast<u32>(ClampInteger::apply(limits, a));
    }
};

template <class D, class A>
LaneInstruction describe_clamp() {
    const ClampInteger::Request limits{.bits = 8 * sizeof(D), .is_signed = std::is_signed_v<D>};
    return sizeof(D) == 8 ? make_lane_instruction<ClampInteger, u64, A>(limits)
                          : make_lane_instruction<ClampShort, u32, A>(limits);
}

LaneInstruction describe_integer_to_integer(Modifiers& m) {
    const bool sat = m.take_modifier("sat");
    const Type destination_type = m.take_type(), from = m.take_type();
    return make_for_all_integers(destination_type, [=]<class D>(Tag<D>) {
        // Use unsigned types. Truncation produces the same bits for signed types.
        using Bits = std::make_unsigned_t<D>;
        return make_for_all_integers(from, [=]<class A>(Tag<A>) {
            return sat ? describe_clamp<D, A>() : make_lane_instruction<Cast<Bits>, Bits, A>();
        });
    });
}

// ---- float -> integer ----

/// Clamps `rounded_value` to the range of D. `rounded_value` is `a` rounded to an integer.
template <class D, class A>
D clamp_to_type(A rounded_value, A a) {
    constexpr A lowest = static_cast<A>(std::numeric_limits<D>::min());
    constexpr A upper_limit = static_cast<A>(u64{1} << (std::numeric_limits<D>::digits - 1)) * 2;
    const bool is_in_range =
        rounded_value >= lowest && rounded_value < upper_limit;  // false for a NaN
    const D value = static_cast<D>(is_in_range ? rounded_value : A{0});
    if (sizeof(A) == 8 || sizeof(D) == 8) {
        if (a != a) return static_cast<D>(u64{1} << (8 * sizeof(D) - 1));
    }
    if (rounded_value >= upper_limit) return std::numeric_limits<D>::max();
    return rounded_value < lowest ? std::numeric_limits<D>::min() : value;
}

/// Rounds towards zero, as C++ does. Nearly all conversions to integers use this rounding.
template <class D>
struct ToIntegerTruncating {
    static D apply(float a) { return clamp_to_type<D>(std::trunc(a), a); }
};
template <class D>
struct ToInteger {
    struct Request {
        Rounding direction;
        bool ftz;
    };
    template <class A>
    static D apply(const Request& request, A a) {
        if constexpr (std::is_same_v<A, float>) a = request.ftz ? flush_subnormal(a) : a;
        const auto number = to_arithmetic(a);
        return clamp_to_type<D>(round_to_integer(number, request.direction), number);
    }
};

template <class D>
LaneInstruction convert_float_to_integer(Type from, Rounding direction, bool ftz) {
    using F = ToInteger<D>;
    if (ftz && from != Type::f32) return {};
    if (from == Type::f32 && direction == Rounding::zero && !ftz) {
        return make_lane_instruction<ToIntegerTruncating<D>, D, float>();
    }
    return make_for_all_floats(from, [=]<class A>(Tag<A>) {
        return make_lane_instruction<F, D, A>({direction, ftz});
    });
}

LaneInstruction describe_float_to_integer(Modifiers& m) {
    const auto direction = m.take_rounding_to_whole();
    if (!direction) return {};
    const bool ftz = m.take_modifier("ftz");
    m.take_modifier("sat");  // has no effect: the conversion always clamps
    const Type destination_type = m.take_type(), from = m.take_type();
    return make_for_all_integers(destination_type, [=]<class D>(Tag<D>) {
        return convert_float_to_integer<D>(from, *direction, ftz);
    });
}

// ---- integer -> float ----

template <class D>
struct FromInteger {
    static constexpr bool kHostRounds = true;
    struct Request {
        Rounding direction;
        bool sat;
    };
    static D apply(const Request& request, auto a) {
        const D value = static_cast<D>(a);
        return request.sat ? saturate_to_unit(value) : value;
    }
};

LaneInstruction describe_integer_to_float(Modifiers& m) {
    const auto direction = m.take_rounding();
    if (!direction) return {};
    m.take_modifier("ftz");  // has no effect: no integer converts to a subnormal
    const bool sat = m.take_modifier("sat");
    const Type destination_type = m.take_type(), from = m.take_type();
    return make_for_floats(destination_type, [=]<class D>(Tag<D>) {
        return make_for_all_integers(from, [=]<class A>(Tag<A>) {
            if (*direction == Rounding::nearest && !sat) {
                return make_instruction_with_forms<Cast<D>, D, A>();
            }
            return make_lane_instruction<FromInteger<D>, D, A>({*direction, sat});
        });
    });
}

// ---- conversions between f32 and f64 ----

// As on the host, a conversion preserves the sign of a NaN and the upper bits of its payload.

/// Converts to the same type or to a wider type. With .ftz, a NaN loses its payload.
template <class D>
struct ToSameOrWider {
    struct Request {
        bool ftz, sat;
    };
    template <class A>
    static D apply(const Request& request, A a) {
        if constexpr (std::is_same_v<A, float>)
            a = request.ftz ? canonicalize_nan(flush_subnormal(a)) : a;
        const D result = static_cast<D>(a);
        return request.sat ? saturate_to_unit(result) : result;
    }
};
template <class D, class A>
LaneInstruction describe_to_same_or_wider(bool ftz, bool sat) {
    return ftz || sat ? make_lane_instruction<ToSameOrWider<D>, D, A>({ftz, sat})
                      : make_lane_instruction<Cast<D>, D, A>();
}

struct ToNarrower {
    static constexpr bool kHostRounds = true;
    struct Request {
        Rounding direction;
        bool ftz, sat;
    };
    static float apply(const Request& request, double a) {
        float result = static_cast<float>(a);
        if (request.ftz) result = flush_subnormal(result);
        return request.sat ? saturate_to_unit(result) : result;
    }
};

LaneInstruction describe_float_to_float(Modifiers& m) {
    const auto rounding = m.take_rounding();
    const bool ftz = m.take_modifier("ftz"), sat = m.take_modifier("sat");
    const Type destination_type = m.take_type(), from = m.take_type();
    if (!rounding) {
        if (destination_type == Type::f64 && from == Type::f32)
            return describe_to_same_or_wider<double, float>(ftz, sat);
        if (destination_type == Type::f32 && from == Type::f32)
            return describe_to_same_or_wider<float, float>(ftz, sat);
        const bool is_double = destination_type == Type::f64 && from == Type::f64 && !ftz;
        return is_double ? describe_to_same_or_wider<double, double>(ftz, sat) : LaneInstruction{};
    }
    if (destination_type != Type::f32 || from != Type::f64) return {};
    if (*rounding == Rounding::nearest && !ftz && !sat)
        return make_lane_instruction<Cast<float>, float, double>();
    return make_lane_instruction<ToNarrower, float, double>({*rounding, ftz, sat});
}

// ---- conversions from a half, which are always exact ----
//
// The sign and payload of a NaN are preserved, except in a conversion from f16 to f32.

template <class D>
struct FromHalf {
    using Request = bool;  ///< whether the instruction has .sat
    template <class H>
    static D apply(bool sat, H a) {
        constexpr bool kLosesPayload = std::is_same_v<H, F16> && std::is_same_v<D, float>;
        const float value = kLosesPayload ? canonicalize_nan(to_float(a)) : to_float(a);
        return static_cast<D>(sat ? saturate_to_unit(value) : value);
    }
};

LaneInstruction describe_half_to_float(Modifiers& m) {
    m.take_modifier("ftz");  // has no effect: a subnormal half becomes a normal f32
    const bool sat = m.take_modifier("sat");
    const Type destination_type = m.take_type(), from = m.take_type();
    return make_for_floats(destination_type, [=]<class D>(Tag<D>) {
        return make_for_single_halves(
            from, [=]<class H>(Tag<H>) { return make_lane_instruction<FromHalf<D>, D, H>(sat); });
    });
}

// ---- rounding a float to an integral value, which remains a float ----

struct RoundToWhole {
    struct Request {
        Rounding direction;
        bool ftz, sat;
    };
    template <class T>
    static T apply(const Request& request, T a) {
        if constexpr (std::is_same_v<T, float>)
            a = request.ftz ? canonicalize_nan(flush_subnormal(a)) : a;
        const T rounded_value = propagate_nan(
            round_to_nearest<T>(round_to_integer(to_arithmetic(a), request.direction)), a);
        return request.sat ? saturate_to_unit(rounded_value) : rounded_value;
    }
};

LaneInstruction describe_round_to_whole(Modifiers& m) {
    const auto direction = m.take_rounding_to_whole();
    const bool ftz = m.take_modifier("ftz"), sat = m.take_modifier("sat");
    const Type destination_type = m.take_type(), from = m.take_type();
    if (destination_type != from || !direction || (ftz && destination_type != Type::f32)) return {};
    if (sat && destination_type != Type::f32 && destination_type != Type::f64) return {};
    return make_for_all_floats(destination_type, [=]<class T>(Tag<T>) {
        return make_lane_instruction<RoundToWhole, T, T>({*direction, ftz, sat});
    });
}

// ---- cvt.pack: clamps two integers and packs them side by side ----

struct PackIntegers {
    using Request = ClampInteger::Request;
    static u32 apply(const Request& limits, i32 upper, i32 lower) {
        return static_cast<u32>(ClampInteger::apply(limits, upper) << limits.bits |
                                ClampInteger::apply(limits, lower));
    }
    /// Packs both values into the low bits of the result, above which it puts the low bits of
    /// `low_bits`.
    static u32 apply(const Request& limits, i32 upper, i32 lower, u32 low_bits) {
        return apply(limits, upper, lower) | low_bits << (2 * limits.bits);
    }
};

LaneInstruction describe_pack(Modifiers& m) {
    if (!m.take_modifier("pack") || !m.take_modifier("sat")) return {};
    const int limits = m.take_alternative({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
    if (limits < 0 || m.take_type() != Type::s32) return {};
    const bool has_low_bits = m.take_modifier("b32");
    if (has_low_bits != (limits >= 2)) return {};
    const PackIntegers::Request request{.bits = 16 >> (limits / 2), .is_signed = limits % 2 != 0};
    return has_low_bits ? make_lane_instruction<PackIntegers, u32, i32, i32, u32>(request)
                        : make_lane_instruction<PackIntegers, u32, i32, i32>(request);
}

}  // namespace

FamilyTable families() {
    return {{"cvt", describe_integer_to_integer},
            {"cvt", describe_float_to_integer},
            {"cvt", describe_integer_to_float},
            {"cvt", describe_float_to_float},
            {"cvt", describe_half_to_float},
            {"cvt", describe_round_to_whole},
            {"cvt", describe_pack}};
}

}  // namespace coalesce::simulator::convert_instructions
