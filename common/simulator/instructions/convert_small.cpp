// cvt to f16, bf16, tf32, e4m3, e5m2, and pairs of these, and cvt from e4m3 and e5m2. convert.cpp
// converts from halves.
//
// Idea   The common conversions (between f32 and f16, rounding to nearest) have fast paths in
//        half.h. All others use round_to_format with the exact value, the format and the rounding
//        direction.
#include "simulator/instructions/families.h"

namespace coalesce::simulator::convert_small_instructions {
namespace {

using ptx::Type;

template <class H>
constexpr FloatFormat kFormatOf = std::is_same_v<H, F16> ? kF16Format : kBF16Format;

template <class A>
u64 round_source(const FloatFormat& format, A a, Rounding direction) {
    if constexpr (std::is_integral_v<A>) {
        const u64 size = a < 0 ? 0 - static_cast<u64>(a) : static_cast<u64>(a);
        return round_to_format(format, ExactValue{a < 0, size, 0}, direction);
    } else {
        return round_to_format(format, double{to_arithmetic(a)}, direction);
    }
}

// ---- modifiers that limit the result ----

struct Limits {
    bool saturates = false;            ///< clamp to [0, 1]
    bool clamps_negative = false;      ///< negative numbers become 0
    bool saturates_to_finite = false;  ///< infinity becomes the largest number
};

struct RoundingRequest {
    Rounding direction = Rounding::nearest;
    Limits limits;
    bool flushes_to_zero = false;  ///< subnormal sources become 0

    bool is_plain() const {
        return direction == Rounding::nearest && !limits.clamps_negative &&
               !limits.saturates_to_finite;
    }
};

u64 apply_limits(const FloatFormat& format, u64 bits, Limits limits) {
    const u64 sign = u64{1} << format.sign_position, magnitude_bits = bits & (sign - 1);
    const bool is_nan =
        magnitude_bits > format.max_finite && magnitude_bits != format.infinity_bits;
    if (limits.saturates_to_finite && magnitude_bits == format.infinity_bits)
        bits = (bits & sign) | format.max_finite;
    if (limits.clamps_negative && !is_nan && (bits & sign)) bits = 0;
    return bits;
}

/// Rounds an f32 or f64 to nearest, without applying any limits.
template <class H>
struct ToHalfNearest {
    static H apply(auto a) { return round_to_nearest<H>(a); }
};

/// Converts an f64 NaN. The result has the same sign and the upper bits of the payload.
template <class H>
H make_nan(double a) {
    const FloatFormat& format = kFormatOf<H>;
    const u64 make_quiet = std::bit_cast<u64>(a) | u64{1} << 51,
              payload = make_quiet & ((u64{1} << 52) - 1);
    const u64 sign = make_quiet >> 63 << format.sign_position;
    return {static_cast<u16>(sign | format.infinity_bits | payload >> (52 - format.fraction_bits))};
}

template <class H>
struct ToHalf {
    using Request = RoundingRequest;

    template <class A>
    static H apply(const RoundingRequest& request, A a) {
        if constexpr (std::is_same_v<A, float>)
            a = request.flushes_to_zero ? flush_subnormal(a) : a;
        if constexpr (std::is_same_v<A, double>) {
            if (a != a && !request.limits.saturates) return make_nan<H>(a);
        }
        const H half_value = round_to_half(a, request);
        return request.limits.saturates ? saturate_to_unit(half_value) : half_value;
    }
    template <class A>
    static H round_to_half(A a, const RoundingRequest& request) {
        if constexpr (std::is_floating_point_v<A>) {
            if (request.is_plain()) return round_to_nearest<H>(a);
        }
        const u64 bits = round_source(kFormatOf<H>, a, request.direction);
        return make_from_bit_pattern<H>(apply_limits(kFormatOf<H>, bits, request.limits));
    }
};

template <class H>
LaneInstruction describe_to_half(Type source_type, const RoundingRequest& rounding_request) {
    using F = ToHalf<H>;
    const bool is_wide_float = source_type == Type::f32 || source_type == Type::f64;
    if (rounding_request.flushes_to_zero && source_type != Type::f32) return {};
    if ((rounding_request.limits.clamps_negative || rounding_request.limits.saturates_to_finite) &&
        !is_wide_float)
        return {};
    if (source_type == Type::f32 && rounding_request.is_plain() &&
        !rounding_request.flushes_to_zero && !rounding_request.limits.saturates)
        return make_lane_instruction<ToHalfNearest<H>, H, float>();
    const auto make_conversion = [&]<class A>(Tag<A>) {
        return make_lane_instruction<F, H, A>(rounding_request);
    };
    if (source_type == Type::s8) return make_conversion(Tag<i8>{});
    if (source_type == Type::u8) return make_conversion(Tag<u8>{});
    const LaneInstruction integers = make_for_integers(source_type, make_conversion);
    return integers.run ? integers : make_for_all_floats(source_type, make_conversion);
}

LaneInstruction describe_any_to_half(Modifiers& m) {
    const auto direction = m.take_rounding();
    if (!direction) return {};
    RoundingRequest rounding_request;
    rounding_request.direction = *direction;
    rounding_request.flushes_to_zero = m.take_modifier("ftz");
    rounding_request.limits = {.saturates = m.take_modifier("sat"),
                               .clamps_negative = m.take_modifier("relu"),
                               .saturates_to_finite = m.take_modifier("satfinite")};
    const Type destination_type = m.take_type(), source_type = m.take_type();
    return make_for_single_halves(destination_type, [&]<class H>(Tag<H>) {
        return describe_to_half<H>(source_type, rounding_request);
    });
}

// ---- tf32: an f32 whose lower 13 fraction bits are zero ----

constexpr FloatFormat kTF32{10, -126, 0x3fbff, 0x3fc00, 0x3ffff, 18};

struct ToTF32 {
    using Request = RoundingRequest;
    static u32 apply(const RoundingRequest& rounding_request, float a) {
        return static_cast<u32>(
            apply_limits(kTF32, round_to_format(kTF32, double{a}, rounding_request.direction),
                         rounding_request.limits)
            << 13);
    }
};
/// Executes .rna, which adds half a unit in the last place of the result and then truncates. A NaN
/// or infinity is only truncated. If the result then has the largest exponent, .satfinite subtracts
/// one unit in the last place.
template <bool kSatfinite>
struct ToTF32Away {
    static u32 apply(float a) {
        const u32 bits = std::bit_cast<u32>(a), dropped = 0x1fff, half_value = 0x1000;
        const bool is_finite = (bits & kExponentBits<float>) != kExponentBits<float>;
        const u32 result = (is_finite ? bits + half_value : bits) & ~dropped;
        const bool is_too_large = (result & kExponentBits<float>) == kExponentBits<float>;
        return kSatfinite && is_too_large ? result - (dropped + 1) : result;
    }
};
LaneInstruction describe_to_tf32(Modifiers& m) {
    const int rounding = m.take_alternative({"rn", "rz", "rna"});
    const bool clamps_negative = m.take_modifier("relu"),
               saturates_to_finite = m.take_modifier("satfinite");
    if (m.take_type() != Type::tf32 || m.take_type() != Type::f32) return {};
    const Limits limits{.clamps_negative = clamps_negative,
                        .saturates_to_finite = saturates_to_finite};
    if (rounding < 2)
        return rounding < 0 ? LaneInstruction{}
                            : make_lane_instruction<ToTF32, u32, float>(
                                  {static_cast<Rounding>(rounding), limits});
    if (clamps_negative) return {};
    return saturates_to_finite ? make_lane_instruction<ToTF32Away<true>, u32, float>()
                               : make_lane_instruction<ToTF32Away<false>, u32, float>();
}

// ---- pairs: the first source goes to the upper half ----

/// Converts two f32 values to two halves (kApart = 16) or to two 8-bit numbers (kApart = 8).
template <const FloatFormat& kFormat, int kApart>
struct ToPair {
    using Request = RoundingRequest;
    static u32 apply(const RoundingRequest& rounding_request, float upper, float lower) {
        return convert_one(upper, rounding_request) << kApart |
               convert_one(lower, rounding_request);
    }
    static u32 convert_one(double value, const RoundingRequest& rounding_request) {
        if (value != value)
            // In e4m3, a NaN has the same bits as an overflow.
            return static_cast<u32>(kFormat.nan_bits);
        return static_cast<u32>(
            apply_limits(kFormat, round_to_format(kFormat, value, rounding_request.direction),
                         rounding_request.limits));
    }
};
/// Rounds both values of a pair to nearest, without applying any limits. ToHalfNearest does the
/// same for a single value.
template <class H>
struct ToPairNearest {
    static u32 apply(float upper, float lower) {
        return u32{round_to_nearest<H>(upper).bits} << 16 | round_to_nearest<H>(lower).bits;
    }
};

template <class H>
LaneInstruction describe_rounding_to_half_pair(int rounding, Limits limits) {
    using F = ToPair<kFormatOf<H>, 16>;
    if (rounding < 0) return {};
    const RoundingRequest rounding_request{static_cast<Rounding>(rounding), limits};
    return rounding_request.is_plain()
               ? make_lane_instruction<ToPairNearest<H>, u32, float, float>()
               : make_lane_instruction<F, u32, float, float>(rounding_request);
}
LaneInstruction describe_to_half_pair(Modifiers& m) {
    const int rounding = m.take_alternative({"rn", "rz"});
    const bool clamps_negative = m.take_modifier("relu"),
               saturates_to_finite = m.take_modifier("satfinite");
    const Limits limits{.clamps_negative = clamps_negative,
                        .saturates_to_finite = saturates_to_finite};
    const Type destination_type = m.take_type();
    if (m.take_type() != Type::f32) return {};
    if (destination_type == Type::f16x2)
        return describe_rounding_to_half_pair<F16>(rounding, limits);
    if (destination_type == Type::bf16x2)
        return describe_rounding_to_half_pair<BF16>(rounding, limits);
    return {};
}

// ---- 8-bit formats, which exist only in pairs, and to which conversions always have .satfinite
// ----

/// Like ToPair, but converts a pair of f16.
template <const FloatFormat& kFormat>
struct BytesFromHalves {
    using Request = RoundingRequest;
    static u16 apply(const RoundingRequest& rounding_request, PackedPair<F16> halves) {
        const float upper = to_float(extract_half(halves, 1)),
                    lower = to_float(extract_half(halves, 0));
        return static_cast<u16>(ToPair<kFormat, 8>::apply(rounding_request, upper, lower));
    }
};
template <const FloatFormat& kFormat>
struct HalvesFromBytes {
    using Request = Limits;
    static u32 apply(Limits limits, u16 bytes) {
        return convert_one(bytes >> 8, limits) << 16 | convert_one(bytes & 0xff, limits);
    }
    static u32 convert_one(u32 byte, Limits limits) {
        const u32 bits = to_f16(decode_small_float(kFormat, byte)).bits;
        return static_cast<u32>(apply_limits(kF16Format, bits, limits));
    }
};

template <const FloatFormat& kFormat>
LaneInstruction describe_to_bytes(Type source_type, bool clamps_negative) {
    const RoundingRequest rounding_request{
        .limits = {.clamps_negative = clamps_negative, .saturates_to_finite = true}};
    if (source_type == Type::f32)
        return make_lane_instruction<ToPair<kFormat, 8>, u16, float, float>(rounding_request);
    if (source_type == Type::f16x2)
        return make_lane_instruction<BytesFromHalves<kFormat>, u16, PackedPair<F16>>(
            rounding_request);
    return {};
}

LaneInstruction bytes(Modifiers& m) {
    if (!m.take_modifier("rn")) return {};
    const bool clamps_negative = m.take_modifier("relu"),
               saturates_to_finite = m.take_modifier("satfinite");
    const Type destination_type = m.take_type(), source_type = m.take_type();
    if (saturates_to_finite && destination_type == Type::e4m3x2)
        return describe_to_bytes<kE4M3Format>(source_type, clamps_negative);
    if (saturates_to_finite && destination_type == Type::e5m2x2)
        return describe_to_bytes<kE5M2Format>(source_type, clamps_negative);
    if (saturates_to_finite || destination_type != Type::f16x2) return {};
    const Limits limits{.clamps_negative = clamps_negative};
    if (source_type == Type::e4m3x2)
        return make_lane_instruction<HalvesFromBytes<kE4M3Format>, u32, u16>(limits);
    if (source_type == Type::e5m2x2)
        return make_lane_instruction<HalvesFromBytes<kE5M2Format>, u32, u16>(limits);
    return {};
}

}  // namespace

FamilyTable families() {
    return {{"cvt", describe_any_to_half},
            {"cvt", describe_to_tf32},
            {"cvt", describe_to_half_pair},
            {"cvt", bytes}};
}

}  // namespace coalesce::simulator::convert_small_instructions
