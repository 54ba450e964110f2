// cvt to and from f16, bf16, tf32, e4m3, e5m2, and pairs of them.
//
// Idea   What is common (f32 to f16 and back, to nearest) has a path of its own in half.h. All else
//        goes through round_into: the exact value, a format, a direction.
#include "base/half.h"
#include "instructions/families.h"

namespace coalesce::sim {
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

u64 round_source(const Format& format, i64 value, Direction direction) {
    const u64 size = value < 0 ? 0 - static_cast<u64>(value) : static_cast<u64>(value);
    return round_into(format, Exact{value < 0, size, 0}, direction);
}
u64 round_source(const Format& format, u64 value, Direction direction) {
    return round_into(format, Exact{false, value, 0}, direction);
}
u64 round_source(const Format& format, double value, Direction direction) {
    return round_into(format, value, direction);
}
/// The widest type of its kind.
auto widened(F16 a) {
    return double{to_float(a)};
}
auto widened(BF16 a) {
    return double{to_float(a)};
}
template <class T>
auto widened(T a) {
    if constexpr (std::is_floating_point_v<T>)
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

u64 limited(const Format& format, u64 bits, Limits limits) {
    const u64 sign = u64{1} << format.sign_position, rest = bits & (sign - 1);
    const bool is_nan = rest > format.largest && rest != format.infinity;
    if (limits.satfinite && rest == format.infinity) bits = (bits & sign) | format.largest;
    if (limits.relu && !is_nan && (bits & sign)) bits = 0;
    return bits;
}

template <class H, Direction kDirection, bool kRelu, bool kSatfinite>
struct ToHalf {
    static H apply(auto a) {
        const u64 bits = round_source(format_of<H>(), widened(a), kDirection);
        return {static_cast<u16>(
            limited(format_of<H>(), bits, {.relu = kRelu, .satfinite = kSatfinite}))};
    }
};
/// To nearest, without limits: half.h has it. From f64 as well.
template <class H>
struct ToHalfNearest {
    static H apply(auto a) {
        if constexpr (std::is_same_v<H, F16>)
            return to_f16(a);
        else
            return to_bf16(a);
    }
};
template <class F>
struct FlushingSource {
    static auto apply(float a) { return F::apply(flush(a)); }
};
template <class F, class H>
struct Saturating {
    static H apply(auto a) {
        return ToHalfNearest<H>::apply(saturate_to_unit(to_float(F::apply(a))));
    }
};

/// From f64 a NaN keeps its sign and the upper bits of its payload.
template <class F, class H>
struct KeepingNan {
    static H apply(double a) {
        if (a == a) return F::apply(a);
        const Format& format = format_of<H>();
        const u64 quiet = std::bit_cast<u64>(a) | u64{1} << 51,
                  payload = quiet & ((u64{1} << 52) - 1);
        const u64 sign = quiet >> 63 << format.sign_position;
        return {static_cast<u16>(sign | format.infinity | payload >> (52 - format.fraction_bits))};
    }
};

struct HalfRequest {
    int rounding = -1;  ///< rn rz rm rp
    bool ftz = false, sat = false, relu = false, satfinite = false;
};

template <class F, class H, class A>
LaneInstruction with_flush_and_sat(const HalfRequest& r) {
    if constexpr (std::is_same_v<A, float>) {
        if (r.ftz && r.sat) return unary<Saturating<FlushingSource<F>, H>, H, A>();
        if (r.ftz) return unary<FlushingSource<F>, H, A>();
    }
    if (r.ftz) return {};
    if (r.sat) return unary<Saturating<F, H>, H, A>();
    if constexpr (std::is_same_v<A, double>)
        return unary<KeepingNan<F, H>, H, A>();
    else
        return unary<F, H, A>();
}

template <class H, class A, Direction kDirection>
LaneInstruction with_limits(const HalfRequest& r) {
    if constexpr (std::is_floating_point_v<A>) {
        if (r.relu && r.satfinite)
            return with_flush_and_sat<ToHalf<H, kDirection, true, true>, H, A>(r);
        if (r.relu) return with_flush_and_sat<ToHalf<H, kDirection, true, false>, H, A>(r);
        if (r.satfinite) return with_flush_and_sat<ToHalf<H, kDirection, false, true>, H, A>(r);
        if constexpr (kDirection == Direction::nearest) {
            return with_flush_and_sat<ToHalfNearest<H>, H, A>(r);
        }
    }
    if (r.relu || r.satfinite) return {};
    return with_flush_and_sat<ToHalf<H, kDirection, false, false>, H, A>(r);
}

template <class H, class A>
LaneInstruction to_half_from(const HalfRequest& r) {
    switch (r.rounding) {
        case 0: return with_limits<H, A, Direction::nearest>(r);
        case 1: return with_limits<H, A, Direction::zero>(r);
        case 2: return with_limits<H, A, Direction::down>(r);
        case 3: return with_limits<H, A, Direction::up>(r);
        default: return {};
    }
}

template <class H>
LaneInstruction to_half(Type from, const HalfRequest& r) {
    switch (from) {
        case Type::s8: return to_half_from<H, i8>(r);
        case Type::u8: return to_half_from<H, u8>(r);
        case Type::f16: return to_half_from<H, F16>(r);
        case Type::bf16: return to_half_from<H, BF16>(r);
        case Type::f32: return to_half_from<H, float>(r);
        case Type::f64: return to_half_from<H, double>(r);
        default: return for_integers(from, [&]<class A>(Tag<A>) { return to_half_from<H, A>(r); });
    }
}

LaneInstruction any_to_half(Modifiers& m) {
    HalfRequest r;
    r.rounding = m.take_one_of({"rn", "rz", "rm", "rp"});
    r.ftz = m.take("ftz"), r.sat = m.take("sat"), r.relu = m.take("relu"),
    r.satfinite = m.take("satfinite");
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
        return sat ? unary<FromHalfSaturating<D>, D, F16>() : unary<FromHalf<D>, D, F16>();
    if (from == Type::bf16)
        return sat ? unary<FromHalfSaturating<D>, D, BF16>() : unary<FromHalf<D>, D, BF16>();
    return {};
}

LaneInstruction half_to_float(Modifiers& m) {
    m.take("ftz");  // a subnormal half is a normal f32
    const bool sat = m.take("sat");
    const Type to = m.take_type(), from = m.take_type();
    return for_floats(to, [=]<class D>(Tag<D>) { return from_half<D>(from, sat); });
}

/// cvt.rni.f16.f16 and its like.
template <class Round>
struct ToWhole {
    static F16 apply(F16 a) { return to_f16(Round::apply(to_float(a))); }
    static BF16 apply(BF16 a) { return to_bf16(Round::apply(to_float(a))); }
};
struct ToNearest {
    static float apply(float a) { return std::nearbyint(a); }
};
struct ToZero {
    static float apply(float a) { return std::trunc(a); }
};
struct Down {
    static float apply(float a) { return std::floor(a); }
};
struct Up {
    static float apply(float a) { return std::ceil(a); }
};

template <class H>
LaneInstruction half_to_whole_of(int rounding) {
    switch (rounding) {
        case 0: return unary<ToWhole<ToNearest>, H, H>();
        case 1: return unary<ToWhole<ToZero>, H, H>();
        case 2: return unary<ToWhole<Down>, H, H>();
        case 3: return unary<ToWhole<Up>, H, H>();
        default: return {};
    }
}
LaneInstruction half_to_whole(Modifiers& m) {
    const int rounding = m.take_one_of({"rni", "rzi", "rmi", "rpi"});
    const Type to = m.take_type(), from = m.take_type();
    if (to != from) return {};
    if (to == Type::f16) return half_to_whole_of<F16>(rounding);
    return to == Type::bf16 ? half_to_whole_of<BF16>(rounding) : LaneInstruction{};
}

// ---- tf32: an f32 whose lower 13 fraction bits are zero ----

constexpr Format kTF32{10, -126, 0x3fbff, 0x3fc00, 0x3ffff, 18};

template <Direction kDirection, bool kRelu, bool kSatfinite>
struct ToTF32 {
    static u32 apply(float a) {
        const u64 bits = round_into(kTF32, double{a}, kDirection);
        return static_cast<u32>(limited(kTF32, bits, {.relu = kRelu, .satfinite = kSatfinite})
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
template <Direction kDirection>
LaneInstruction to_tf32_by(bool relu, bool satfinite) {
    if (relu && satfinite) return unary<ToTF32<kDirection, true, true>, u32, float>();
    if (relu) return unary<ToTF32<kDirection, true, false>, u32, float>();
    if (satfinite) return unary<ToTF32<kDirection, false, true>, u32, float>();
    return unary<ToTF32<kDirection, false, false>, u32, float>();
}
LaneInstruction to_tf32(Modifiers& m) {
    const int rounding = m.take_one_of({"rn", "rz", "rna"});
    const bool relu = m.take("relu"), satfinite = m.take("satfinite");
    if (m.take_type() != Type::tf32 || m.take_type() != Type::f32) return {};
    switch (rounding) {
        case 0: return to_tf32_by<Direction::nearest>(relu, satfinite);
        case 1: return to_tf32_by<Direction::zero>(relu, satfinite);
        case 2:
            if (relu) return {};
            return satfinite ? unary<ToTF32Away<true>, u32, float>()
                             : unary<ToTF32Away<false>, u32, float>();
        default: return {};
    }
}

// ---- pairs: the first source goes to the upper half ----

/// Two f32 into two halves (16 bits apart) or two 8-bit numbers (8 bits apart).
template <const Format& kFormat, int kApart, Direction kDirection, bool kRelu, bool kSatfinite>
struct ToPair {
    static u32 apply(float upper, float lower) { return one(upper) << kApart | one(lower); }
    static u32 one(double value) {
        if (value != value)
            return static_cast<u32>(kFormat.nan);  // of e4m3, overflow has the same bits
        const u64 bits = round_into(kFormat, value, kDirection);
        return static_cast<u32>(limited(kFormat, bits, {.relu = kRelu, .satfinite = kSatfinite}));
    }
};
/// To nearest and without limits, as the conversion of one value.
template <class H>
struct ToPairNearest {
    static u32 apply(float upper, float lower) {
        return u32{ToHalfNearest<H>::apply(upper).bits} << 16 | ToHalfNearest<H>::apply(lower).bits;
    }
};

template <const Format& kFormat, Direction kDirection>
LaneInstruction to_half_pair_by(bool relu, bool satfinite) {
    if (relu && satfinite)
        return binary<ToPair<kFormat, 16, kDirection, true, true>, u32, float, float>();
    if (relu) return binary<ToPair<kFormat, 16, kDirection, true, false>, u32, float, float>();
    if (satfinite) return binary<ToPair<kFormat, 16, kDirection, false, true>, u32, float, float>();
    return binary<ToPair<kFormat, 16, kDirection, false, false>, u32, float, float>();
}
template <const Format& kFormat, class H>
LaneInstruction to_half_pair_of(int rounding, bool relu, bool satfinite) {
    if (rounding == 0 && !relu && !satfinite) return binary<ToPairNearest<H>, u32, float, float>();
    if (rounding == 0) return to_half_pair_by<kFormat, Direction::nearest>(relu, satfinite);
    if (rounding == 1) return to_half_pair_by<kFormat, Direction::zero>(relu, satfinite);
    return {};
}
LaneInstruction to_half_pair(Modifiers& m) {
    const int rounding = m.take_one_of({"rn", "rz"});
    const bool relu = m.take("relu"), satfinite = m.take("satfinite");
    const Type to = m.take_type();
    if (m.take_type() != Type::f32) return {};
    if (to == Type::f16x2) return to_half_pair_of<kF16, F16>(rounding, relu, satfinite);
    if (to == Type::bf16x2) return to_half_pair_of<kBF16, BF16>(rounding, relu, satfinite);
    return {};
}

// ---- 8-bit formats: always in pairs, always .satfinite on the way in ----

/// The same from a pair of f16.
template <const Format& kFormat, bool kRelu>
struct BytesFromHalves {
    static u16 apply(u32 halves) {
        using F = ToPair<kFormat, 8, Direction::nearest, kRelu, true>;
        const float upper = to_float(F16{static_cast<u16>(halves >> 16)});
        return static_cast<u16>(F::apply(upper, to_float(F16{static_cast<u16>(halves)})));
    }
};
template <const Format& kFormat, bool kRelu>
struct HalvesFromBytes {
    static u32 apply(u16 bytes) { return one(bytes >> 8) << 16 | one(bytes & 0xff); }
    static u32 one(u32 byte) {
        const u32 bits = to_f16(value_of_small(kFormat, byte)).bits;
        return static_cast<u32>(limited(kF16, bits, {.relu = kRelu}));
    }
};

template <const Format& kFormat, bool kRelu>
LaneInstruction to_bytes(Type from) {
    if (from == Type::f32)
        return binary<ToPair<kFormat, 8, Direction::nearest, kRelu, true>, u16, float, float>();
    if (from == Type::f16x2) return unary<BytesFromHalves<kFormat, kRelu>, u16, u32>();
    return {};
}

LaneInstruction bytes(Modifiers& m) {
    if (!m.take("rn")) return {};
    const bool relu = m.take("relu"), satfinite = m.take("satfinite");
    const Type to = m.take_type(), from = m.take_type();
    if (satfinite && to == Type::e4m3x2)
        return relu ? to_bytes<kE4M3, true>(from) : to_bytes<kE4M3, false>(from);
    if (satfinite && to == Type::e5m2x2)
        return relu ? to_bytes<kE5M2, true>(from) : to_bytes<kE5M2, false>(from);
    if (satfinite || to != Type::f16x2) return {};
    if (from == Type::e4m3x2) {
        return relu ? unary<HalvesFromBytes<kE4M3, true>, u32, u16>()
                    : unary<HalvesFromBytes<kE4M3, false>, u32, u16>();
    }
    if (from == Type::e5m2x2) {
        return relu ? unary<HalvesFromBytes<kE5M2, true>, u32, u16>()
                    : unary<HalvesFromBytes<kE5M2, false>, u32, u16>();
    }
    return {};
}

}  // namespace

FamilyTable convert_small_families() {
    return {{"cvt", any_to_half}, {"cvt", half_to_float}, {"cvt", half_to_whole},
            {"cvt", to_tf32},     {"cvt", to_half_pair},  {"cvt", bytes}};
}

}  // namespace coalesce::sim
