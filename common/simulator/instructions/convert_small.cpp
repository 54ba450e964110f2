// cvt to and from f16, bf16, tf32, e4m3, e5m2, and pairs of them.
//
// Idea   What is common (f32 to f16 and back, to nearest) has a path of its own in half.h. All else
//        goes through round_into: the exact value, a format, a direction.
#include "base/half.h"
#include "instructions/families.h"

namespace coalesce::sim::convert_small_instructions {
namespace {

using ptx::Type;

template <class H>
constexpr const Format& format_of() {
    if constexpr (std::is_same_v<H, F16>)
        return kF16;
    else
        return kBF16;
}

// ---- sources ----

u64 round_source(const Format& format, i64 value, Rounding direction) {
    const u64 size = value < 0 ? 0 - static_cast<u64>(value) : static_cast<u64>(value);
    return round_into(format, Exact{value < 0, size, 0}, direction);
}
u64 round_source(const Format& format, u64 value, Rounding direction) {
    return round_into(format, Exact{false, value, 0}, direction);
}
u64 round_source(const Format& format, double value, Rounding direction) {
    return round_into(format, value, direction);
}
/// The widest type of its kind.
template <class T>
auto widened(T a) {
    if constexpr (Packed<T>)
        return double{to_float(a)};
    else if constexpr (std::is_floating_point_v<T>)
        return double{a};
    else if constexpr (std::is_signed_v<T>)
        return i64{a};
    else
        return u64{a};
}

// ---- what may be done to the result ----

struct Limits {
    bool sat = false;        ///< into [0, 1]
    bool relu = false;       ///< negative numbers to 0
    bool satfinite = false;  ///< infinity to the largest number
};

struct Rounded {
    Rounding direction = Rounding::nearest;
    Limits limits;
    bool ftz = false;  ///< subnormal sources to 0

    bool is_plain() const {
        return direction == Rounding::nearest && !limits.relu && !limits.satfinite;
    }
};

u64 limited(const Format& format, u64 bits, Limits limits) {
    const u64 sign = u64{1} << format.sign_position, rest = bits & (sign - 1);
    const bool is_nan = rest > format.largest && rest != format.infinity;
    if (limits.satfinite && rest == format.infinity) bits = (bits & sign) | format.largest;
    if (limits.relu && !is_nan && (bits & sign)) bits = 0;
    return bits;
}

/// To nearest, without limits. From f64 as well.
template <class H>
struct ToHalfNearest {
    static H apply(auto a) { return nearest<H>(a); }
};

/// From f64 a NaN keeps its sign and the upper bits of its payload.
template <class H>
H nan_from(double a) {
    const Format& format = format_of<H>();
    const u64 quiet = std::bit_cast<u64>(a) | u64{1} << 51, payload = quiet & ((u64{1} << 52) - 1);
    const u64 sign = quiet >> 63 << format.sign_position;
    return {static_cast<u16>(sign | format.infinity | payload >> (52 - format.fraction_bits))};
}

template <class H>
struct ToHalf {
    using Request = Rounded;

    template <class A>
    static H apply(const Rounded& request, A a) {
        if constexpr (std::is_same_v<A, float>) a = request.ftz ? flush(a) : a;
        if constexpr (std::is_same_v<A, double>) {
            if (a != a && !request.limits.sat) return nan_from<H>(a);
        }
        const H half = rounded(a, request);
        if (!request.limits.sat) return half;
        return nearest<H>(saturate_to_unit(to_float(half)));
    }
    template <class A>
    static H rounded(A a, const Rounded& request) {
        if constexpr (std::is_floating_point_v<A>) {
            if (request.is_plain()) return nearest<H>(a);
        }
        const u64 bits = round_source(format_of<H>(), widened(a), request.direction);
        return {static_cast<u16>(limited(format_of<H>(), bits, request.limits))};
    }
};

template <class H>
LaneInstruction to_half(Type from, const Rounded& r) {
    using F = ToHalf<H>;
    const bool is_wide_float = from == Type::f32 || from == Type::f64;
    if (r.ftz && from != Type::f32) return {};
    if ((r.limits.relu || r.limits.satfinite) && !is_wide_float) return {};
    switch (from) {
        case Type::s8: return in_lanes<F, H, i8>(r);
        case Type::u8: return in_lanes<F, H, u8>(r);
        case Type::f16: return in_lanes<F, H, F16>(r);
        case Type::bf16: return in_lanes<F, H, BF16>(r);
        case Type::f32:
            if (r.is_plain() && !r.ftz && !r.limits.sat)
                return in_lanes<ToHalfNearest<H>, H, float>();
            return in_lanes<F, H, float>(r);
        case Type::f64: return in_lanes<F, H, double>(r);
        default: return for_integers(from, [&]<class A>(Tag<A>) { return in_lanes<F, H, A>(r); });
    }
}

LaneInstruction any_to_half(Modifiers& m) {
    const auto direction = m.take_rounding();
    if (!direction) return {};
    Rounded r;
    r.direction = *direction;
    r.ftz = m.take("ftz");
    r.limits = {.sat = m.take("sat"), .relu = m.take("relu"), .satfinite = m.take("satfinite")};
    const Type to = m.take_type(), from = m.take_type();
    if (to == Type::f16) return to_half<F16>(from, r);
    if (to == Type::bf16) return to_half<BF16>(from, r);
    return {};
}

// ---- from a half: always exact ----
//
// A NaN keeps sign and payload, but from f16 to f32 it loses them.

template <class D>
struct FromHalf {
    static D apply(auto a) { return static_cast<D>(to_float(a)); }
};
template <>
struct FromHalf<float> {
    static float apply(F16 a) { return canonical(to_float(a)); }
    static float apply(BF16 a) { return to_float(a); }
};
template <class D>
struct FromHalfSaturating {
    static D apply(auto a) { return static_cast<D>(saturate_to_unit(to_float(a))); }
};

template <class D>
LaneInstruction from_half(Type from, bool sat) {
    if (from == Type::f16)
        return sat ? in_lanes<FromHalfSaturating<D>, D, F16>() : in_lanes<FromHalf<D>, D, F16>();
    if (from == Type::bf16)
        return sat ? in_lanes<FromHalfSaturating<D>, D, BF16>() : in_lanes<FromHalf<D>, D, BF16>();
    return {};
}

LaneInstruction half_to_float(Modifiers& m) {
    m.take("ftz");  // a subnormal half is a normal f32
    const bool sat = m.take("sat");
    const Type to = m.take_type(), from = m.take_type();
    return for_floats(to, [=]<class D>(Tag<D>) { return from_half<D>(from, sat); });
}

/// cvt.rni.f16.f16 and its like.
struct ToWhole {
    using Request = Rounding;
    static auto apply(Rounding direction, auto a) {
        return nearest<decltype(a)>(to_whole(to_float(a), direction));
    }
};

LaneInstruction half_to_whole(Modifiers& m) {
    const auto direction = m.take_rounding_to_whole();
    const Type to = m.take_type(), from = m.take_type();
    if (to != from || !direction) return {};
    if (to == Type::f16) return in_lanes<ToWhole, F16, F16>(*direction);
    return to == Type::bf16 ? in_lanes<ToWhole, BF16, BF16>(*direction) : LaneInstruction{};
}

// ---- tf32: an f32 whose lower 13 fraction bits are zero ----

constexpr Format kTF32{10, -126, 0x3fbff, 0x3fc00, 0x3ffff, 18};

struct ToTF32 {
    using Request = Rounded;
    static u32 apply(const Rounded& r, float a) {
        return static_cast<u32>(limited(kTF32, round_into(kTF32, double{a}, r.direction), r.limits)
                                << 13);
    }
};
/// .rna is simple minded: half of what is cut off is added to the bits, but of a NaN or infinity
/// they are cut. .satfinite subtracts one where the result has the largest exponent.
template <bool kSatfinite>
struct ToTF32Away {
    static u32 apply(float a) {
        const u32 bits = std::bit_cast<u32>(a), dropped = 0x1fff, half = 0x1000;
        const bool is_finite = (bits & kExponentBits<float>) != kExponentBits<float>;
        const u32 result = (is_finite ? bits + half : bits) & ~dropped;
        const bool too_large = (result & kExponentBits<float>) == kExponentBits<float>;
        return kSatfinite && too_large ? result - (dropped + 1) : result;
    }
};
LaneInstruction to_tf32(Modifiers& m) {
    const int rounding = m.take_one_of({"rn", "rz", "rna"});
    const bool relu = m.take("relu"), satfinite = m.take("satfinite");
    if (m.take_type() != Type::tf32 || m.take_type() != Type::f32) return {};
    const Limits limits{.relu = relu, .satfinite = satfinite};
    if (rounding < 2)
        return rounding < 0
                   ? LaneInstruction{}
                   : in_lanes<ToTF32, u32, float>({static_cast<Rounding>(rounding), limits});
    if (relu) return {};
    return satfinite ? in_lanes<ToTF32Away<true>, u32, float>()
                     : in_lanes<ToTF32Away<false>, u32, float>();
}

// ---- pairs: the first source goes to the upper half ----

/// Two f32 into two halves (16 bits apart) or two 8-bit numbers (8 bits apart).
template <const Format& kFormat, int kApart>
struct ToPair {
    using Request = Rounded;
    static u32 apply(const Rounded& r, float upper, float lower) {
        return one(upper, r) << kApart | one(lower, r);
    }
    static u32 one(double value, const Rounded& r) {
        if (value != value)
            return static_cast<u32>(kFormat.nan);  // of e4m3, overflow has the same bits
        return static_cast<u32>(
            limited(kFormat, round_into(kFormat, value, r.direction), r.limits));
    }
};
/// To nearest and without limits, as the conversion of one value.
template <class H>
struct ToPairNearest {
    static u32 apply(float upper, float lower) {
        return u32{nearest<H>(upper).bits} << 16 | nearest<H>(lower).bits;
    }
};

template <const Format& kFormat, class H>
LaneInstruction to_half_pair_of(int rounding, Limits limits) {
    using F = ToPair<kFormat, 16>;
    if (rounding < 0) return {};
    const Rounded r{static_cast<Rounding>(rounding), limits};
    return r.is_plain() ? in_lanes<ToPairNearest<H>, u32, float, float>()
                        : in_lanes<F, u32, float, float>(r);
}
LaneInstruction to_half_pair(Modifiers& m) {
    const int rounding = m.take_one_of({"rn", "rz"});
    const bool relu = m.take("relu"), satfinite = m.take("satfinite");
    const Limits limits{.relu = relu, .satfinite = satfinite};
    const Type to = m.take_type();
    if (m.take_type() != Type::f32) return {};
    if (to == Type::f16x2) return to_half_pair_of<kF16, F16>(rounding, limits);
    if (to == Type::bf16x2) return to_half_pair_of<kBF16, BF16>(rounding, limits);
    return {};
}

// ---- 8-bit formats: always in pairs, always .satfinite on the way in ----

/// The same from a pair of f16.
template <const Format& kFormat>
struct BytesFromHalves {
    using Request = Rounded;
    static u16 apply(const Rounded& r, u32 halves) {
        const float upper = to_float(F16{static_cast<u16>(halves >> 16)});
        const float lower = to_float(F16{static_cast<u16>(halves)});
        return static_cast<u16>(ToPair<kFormat, 8>::apply(r, upper, lower));
    }
};
template <const Format& kFormat>
struct HalvesFromBytes {
    using Request = Limits;
    static u32 apply(Limits limits, u16 bytes) {
        return one(bytes >> 8, limits) << 16 | one(bytes & 0xff, limits);
    }
    static u32 one(u32 byte, Limits limits) {
        const u32 bits = to_f16(value_of_small(kFormat, byte)).bits;
        return static_cast<u32>(limited(kF16, bits, limits));
    }
};

template <const Format& kFormat>
LaneInstruction to_bytes(Type from, bool relu) {
    const Rounded r{.limits = {.relu = relu, .satfinite = true}};
    if (from == Type::f32) return in_lanes<ToPair<kFormat, 8>, u16, float, float>(r);
    if (from == Type::f16x2) return in_lanes<BytesFromHalves<kFormat>, u16, u32>(r);
    return {};
}

LaneInstruction bytes(Modifiers& m) {
    if (!m.take("rn")) return {};
    const bool relu = m.take("relu"), satfinite = m.take("satfinite");
    const Type to = m.take_type(), from = m.take_type();
    if (satfinite && to == Type::e4m3x2) return to_bytes<kE4M3>(from, relu);
    if (satfinite && to == Type::e5m2x2) return to_bytes<kE5M2>(from, relu);
    if (satfinite || to != Type::f16x2) return {};
    const Limits limits{.relu = relu};
    if (from == Type::e4m3x2) return in_lanes<HalvesFromBytes<kE4M3>, u32, u16>(limits);
    if (from == Type::e5m2x2) return in_lanes<HalvesFromBytes<kE5M2>, u32, u16>(limits);
    return {};
}

}  // namespace

FamilyTable families() {
    return {{"cvt", any_to_half}, {"cvt", half_to_float}, {"cvt", half_to_whole},
            {"cvt", to_tf32},     {"cvt", to_half_pair},  {"cvt", bytes}};
}

}  // namespace coalesce::sim::convert_small_instructions
