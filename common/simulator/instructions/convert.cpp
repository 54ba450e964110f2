// cvt between integers, f32 and f64.
//
// Rules  Integer to integer cuts, or clamps with .sat. Float to integer rounds as told (.rzi ...),
//        and always clamps; a NaN becomes 0, or the highest bit where 64 bits take part. To a
//        float: rounds as told (.rn ...); .sat clamps to [0, 1].
// Next   convert_small.cpp: f16, bf16 and smaller formats.
#include <limits>

#include "base/half.h"
#include "instructions/families.h"

namespace coalesce::sim {
namespace {

using ptx::Type;

template <class Make>
LaneInstruction for_all_integers(Type type, Make make) {
    if (type == Type::s8) return make(Tag<i8>{});
    if (type == Type::u8 || type == Type::b8) return make(Tag<u8>{});
    return for_integers(type, make);
}

// ---- integer -> integer ----

template <class D>
struct Cut {
    template <class A>
    static D apply(A a) {
        return static_cast<D>(a);
    }
};
template <class D>
struct Clamp {
    template <class A>
    static D apply(A a) {
        constexpr D lowest = std::numeric_limits<D>::min(), highest = std::numeric_limits<D>::max();
        if (std::cmp_less(a, lowest)) return lowest;
        return std::cmp_greater(a, highest) ? highest : static_cast<D>(a);
    }
};

LaneInstruction integer_to_integer(Modifiers& m) {
    const bool sat = m.take("sat");
    const Type to = m.take_type(), from = m.take_type();
    return for_all_integers(to, [=]<class D>(Tag<D>) {
        return for_all_integers(from, [=]<class A>(Tag<A>) {
            return sat ? unary<Clamp<D>, D, A>() : unary<Cut<D>, D, A>();
        });
    });
}

// ---- float -> integer ----

struct ToNearest {
    static auto apply(auto a) { return std::nearbyint(a); }
};
struct ToZero {
    static auto apply(auto a) { return std::trunc(a); }
};
struct Down {
    static auto apply(auto a) { return std::floor(a); }
};
struct Up {
    static auto apply(auto a) { return std::ceil(a); }
};

template <class D, class Round>
struct ToInteger {
    template <class A>
    static D apply(A a) {
        constexpr A lowest = static_cast<A>(std::numeric_limits<D>::min());
        constexpr A beyond = static_cast<A>(u64{1} << (std::numeric_limits<D>::digits - 1)) * 2;
        const A whole = Round::apply(a);
        const bool fits = whole >= lowest && whole < beyond;  // false for a NaN
        const D value = static_cast<D>(fits ? whole : A{0});
        if (sizeof(A) == 8 || sizeof(D) == 8) {
            if (a != a) return static_cast<D>(u64{1} << (8 * sizeof(D) - 1));
        }
        if (whole >= beyond) return std::numeric_limits<D>::max();
        return whole < lowest ? std::numeric_limits<D>::min() : value;
    }
    static D apply(F16 a) { return apply(to_float(a)); }
    static D apply(BF16 a) { return apply(to_float(a)); }
};
template <class D, class Round>
struct ToIntegerFlushing {
    static D apply(float a) { return ToInteger<D, Round>::apply(flush(a)); }
};

template <class D, class Round>
LaneInstruction to_integer_from(Type from, bool ftz) {
    if (ftz)
        return from == Type::f32 ? unary<ToIntegerFlushing<D, Round>, D, float>()
                                 : LaneInstruction{};
    using F = ToInteger<D, Round>;
    switch (from) {
        case Type::f16: return unary<F, D, F16>();
        case Type::bf16: return unary<F, D, BF16>();
        case Type::f32: return unary<F, D, float>();
        case Type::f64: return unary<F, D, double>();
        default: return {};
    }
}

LaneInstruction float_to_integer(Modifiers& m) {
    const int rounding = m.take_one_of({"rni", "rzi", "rmi", "rpi"});
    const bool ftz = m.take("ftz");
    m.take("sat");  // it clamps anyway
    const Type to = m.take_type(), from = m.take_type();
    return for_all_integers(to, [=]<class D>(Tag<D>) -> LaneInstruction {
        switch (rounding) {
            case 0: return to_integer_from<D, ToNearest>(from, ftz);
            case 1: return to_integer_from<D, ToZero>(from, ftz);
            case 2: return to_integer_from<D, Down>(from, ftz);
            case 3: return to_integer_from<D, Up>(from, ftz);
            default: return {};
        }
    });
}

// ---- integer -> float ----

template <class D, bool kSaturate>
struct FromInteger {
    template <class A>
    static D apply(A a) {
        const D value = static_cast<D>(a);
        return kSaturate ? saturate_to_unit(value) : value;
    }
};

/// make(tag of the environment) for .rn .rz .rm .rp.
template <class Make>
LaneInstruction for_rounding(int rounding, Make make) {
    switch (rounding) {
        case 0: return make(Tag<DefaultEnvironment>{});
        case 1: return make(Tag<RoundingScope<Rounding::zero>>{});
        case 2: return make(Tag<RoundingScope<Rounding::down>>{});
        case 3: return make(Tag<RoundingScope<Rounding::up>>{});
        default: return {};
    }
}

LaneInstruction integer_to_float(Modifiers& m) {
    const int rounding = m.take_one_of({"rn", "rz", "rm", "rp"});
    m.take("ftz");  // no integer gives a subnormal
    const bool sat = m.take("sat");
    const Type to = m.take_type(), from = m.take_type();
    return for_floats(to, [=]<class D>(Tag<D>) {
        return for_all_integers(from, [=]<class A>(Tag<A>) {
            return for_rounding(rounding, [=]<class E>(Tag<E>) {
                if constexpr (std::is_same_v<E, DefaultEnvironment>)
                    return sat ? unary<FromInteger<D, true>, D, A>()
                               : unary_with_forms<FromInteger<D, false>, D, A>();
                return sat ? unary<FromInteger<D, true>, D, A, E>()
                           : unary<FromInteger<D, false>, D, A, E>();
            });
        });
    });
}

// ---- f32 and f64 among themselves ----

/// A NaN keeps its sign and the upper bits of its payload, as on the host.
template <class D>
struct Resize {
    template <class A>
    static D apply(A a) {
        return static_cast<D>(a);
    }
};
/// .ftz: of whatever is an f32, source or result. As a source a NaN loses its payload by it.
template <class F>
struct FlushingSource {
    static auto apply(float a) { return F::apply(canonical(flush(a))); }
};
template <class F>
struct FlushingResult {
    static float apply(auto a) { return flush(F::apply(a)); }
};
template <class F>
struct Saturating {
    static auto apply(auto a) { return saturate_to_unit(F::apply(a)); }
};
/// F, with .sat or without.
template <class F, class D, class A, class E = DefaultEnvironment>
LaneInstruction saturating_or_not(bool sat) {
    return sat ? unary<Saturating<F>, D, A, E>() : unary<F, D, A, E>();
}

LaneInstruction float_to_float(Modifiers& m) {
    const int rounding = m.take_one_of({"rn", "rz", "rm", "rp"});
    const bool ftz = m.take("ftz"), sat = m.take("sat");
    const Type to = m.take_type(), from = m.take_type();
    if (to == Type::f64 && from == Type::f32 && rounding < 0) {
        using F = Resize<double>;
        return ftz ? saturating_or_not<FlushingSource<F>, double, float>(sat)
                   : saturating_or_not<F, double, float>(sat);
    }
    if (to == Type::f32 && from == Type::f32 && rounding < 0) {
        using F = Resize<float>;
        return ftz ? saturating_or_not<FlushingSource<F>, float, float>(sat)
                   : saturating_or_not<F, float, float>(sat);
    }
    if (to == Type::f64 && from == Type::f64 && rounding < 0 && !ftz) {
        return saturating_or_not<Resize<double>, double, double>(sat);
    }
    if (to != Type::f32 || from != Type::f64) return {};
    return for_rounding(rounding, [=]<class E>(Tag<E>) {
        using F = Resize<float>;
        return ftz ? saturating_or_not<FlushingResult<F>, float, double, E>(sat)
                   : saturating_or_not<F, float, double, E>(sat);
    });
}

// ---- a float to a whole number that stays a float ----

template <class Round>
struct ToWhole {
    template <class T>
    static T apply(T a) {
        return with_nan(Round::apply(a), a);
    }
};

template <class Round>
LaneInstruction to_whole(Type type, bool ftz, bool sat) {
    using F = ToWhole<Round>;
    if (type == Type::f64)
        return ftz ? LaneInstruction{} : saturating_or_not<F, double, double>(sat);
    if (type != Type::f32) return {};
    return ftz ? saturating_or_not<FlushingSource<F>, float, float>(sat)
               : saturating_or_not<F, float, float>(sat);
}

LaneInstruction float_to_whole(Modifiers& m) {
    const int rounding = m.take_one_of({"rni", "rzi", "rmi", "rpi"});
    const bool ftz = m.take("ftz"), sat = m.take("sat");
    const Type to = m.take_type(), from = m.take_type();
    if (to != from) return {};
    switch (rounding) {
        case 0: return to_whole<ToNearest>(to, ftz, sat);
        case 1: return to_whole<ToZero>(to, ftz, sat);
        case 2: return to_whole<Down>(to, ftz, sat);
        case 3: return to_whole<Up>(to, ftz, sat);
        default: return {};
    }
}

// ---- cvt.pack: two integers, clamped and put side by side ----

template <int kBits, bool kSigned>
u32 clamp_to_bits(i32 value) {
    constexpr i32 lowest = kSigned ? -(1 << (kBits - 1)) : 0;
    constexpr i32 highest = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
    return static_cast<u32>(std::clamp(value, lowest, highest)) & ((1u << kBits) - 1);
}
template <int kBits, bool kSigned>
struct Pack {
    static u32 apply(i32 upper, i32 lower) {
        return clamp_to_bits<kBits, kSigned>(upper) << kBits | clamp_to_bits<kBits, kSigned>(lower);
    }
    /// Above them what fits of `rest`.
    static u32 apply(i32 upper, i32 lower, u32 rest) {
        return apply(upper, lower) | rest << (2 * kBits);
    }
};
template <int kBits, bool kSigned>
LaneInstruction pack_above() {
    return ternary<Pack<kBits, kSigned>, u32, i32, i32, u32>();
}

LaneInstruction pack(Modifiers& m) {
    if (!m.take("pack") || !m.take("sat")) return {};
    const int to = m.take_one_of({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
    if (m.take_type() != Type::s32) return {};
    const bool has_third = m.take("b32");
    if (has_third != (to >= 2)) return {};
    switch (to) {
        case 0: return binary<Pack<16, false>, u32, i32, i32>();
        case 1: return binary<Pack<16, true>, u32, i32, i32>();
        case 2: return pack_above<8, false>();
        case 3: return pack_above<8, true>();
        case 4: return pack_above<4, false>();
        case 5: return pack_above<4, true>();
        case 6: return pack_above<2, false>();
        case 7: return pack_above<2, true>();
        default: return {};
    }
}

}  // namespace

FamilyTable convert_families() {
    return {{"cvt", integer_to_integer}, {"cvt", float_to_integer}, {"cvt", integer_to_float},
            {"cvt", float_to_float},     {"cvt", float_to_whole},   {"cvt", pack}};
}

}  // namespace coalesce::sim
