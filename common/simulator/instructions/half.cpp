// Arithmetic on f16 and bf16, single and in pairs: add sub mul fma neg abs min max ex2 tanh.
//
// Idea   An operation is written once for one value of either format; a pair does it twice.
#include "base/half.h"

#include "instructions/families.h"

namespace coalesce::sim::half_instructions {
namespace {

using ptx::Type;

constexpr u16 kNaN = 0x7fff;  // of both formats
constexpr u16 kSign = 0x8000;

template <class H>
bool is_nan(H value) {
    return (value.bits & 0x7fff) > (std::is_same_v<H, F16> ? 0x7c00 : 0x7f80);
}
// ---- operations ----

struct Add {
    static auto apply(auto a, auto b) { return nearest<decltype(a)>(to_float(a) + to_float(b)); }
};
struct Subtract {
    static auto apply(auto a, auto b) { return nearest<decltype(a)>(to_float(a) - to_float(b)); }
};
struct Multiply {
    static F16 apply(F16 a, F16 b) { return to_f16(to_float(a) * to_float(b)); }
    // Below the smallest subnormal of f32 a product of two bf16 would be rounded twice.
    static BF16 apply(BF16 a, BF16 b) { return to_bf16(double{to_float(a)} * double{to_float(b)}); }
};
struct MultiplyAdd {
    template <class H>
    static H apply(H a, H b, H c) {
        const double product = double{to_float(a)} * double{to_float(b)};  // exact
        return nearest<H>(add_to_odd(product, double{to_float(c)}));
    }
};
struct Negate {
    template <class H>
    static H apply(H a) {
        return is_nan(a) ? H{kNaN} : H{static_cast<u16>(a.bits ^ kSign)};
    }
};
struct Absolute {
    template <class H>
    static H apply(H a) {
        return is_nan(a) ? H{kNaN} : H{static_cast<u16>(a.bits & ~kSign)};
    }
};
struct PowerOf2 {
    static auto apply(auto a) { return nearest<decltype(a)>(std::exp2(double{to_float(a)})); }
};
struct HyperbolicTangent {
    static auto apply(auto a) { return nearest<decltype(a)>(std::tanh(double{to_float(a)})); }
};

template <bool kMaximum>
struct Extremum {
    template <class H>
    static H apply(H a, H b) {
        if (is_nan(a)) return is_nan(b) ? H{kNaN} : b;
        if (is_nan(b)) return a;
        const float x = to_float(a), y = to_float(b);
        if (x == y) {  // equal, or zeros of different sign
            return H{static_cast<u16>(kMaximum ? a.bits & b.bits : a.bits | b.bits)};
        }
        return (x < y) == kMaximum ? b : a;
    }
};

// ---- modifiers ----

template <class F>
struct Flushing {
    template <class... H>
    static auto apply(H... sources) {
        return flushed(F::apply(flushed(sources)...));
    }
};
/// Whether a result is subnormal is decided after rounding; see float.cpp.
inline F16 flushed_f16(double exact) {
    const F16 scaled = to_f16(magnitude(exact) * 0x1p10);
    return to_f16(magnitude(exact) < 0x1p-14 && to_float(scaled) < 0x1p-4f
                      ? with_sign_of(0.0, exact)
                      : exact);
}
template <>
struct Flushing<Multiply> {
    static F16 apply(F16 a, F16 b) {
        return flushed_f16(double{to_float(flushed(a))} * double{to_float(flushed(b))});
    }
};
template <>
struct Flushing<MultiplyAdd> {
    static F16 apply(F16 a, F16 b, F16 c) {
        const double product = double{to_float(flushed(a))} * double{to_float(flushed(b))};
        return flushed_f16(add_to_odd(product, double{to_float(flushed(c))}));
    }
};
/// .sat: into [0, 1], NaN to +0. .relu: what is negative becomes +0.
struct Modification {
    bool ftz = false, sat = false, relu = false;
};
template <class F>
struct Modified {
    using Request = Modification;
    template <class H, class... Rest>
    static H apply(const Request& request, H a, Rest... rest) {
        H result = F::apply(a, rest...);
        // Of bf16 there is .ftz for the approximations alone, which have one source.
        if constexpr (std::is_same_v<H, F16> || sizeof...(Rest) == 0) {
            if (request.ftz) result = Flushing<F>::apply(a, rest...);
        }
        if (request.sat) result = nearest<H>(saturate_to_unit(to_float(result)));
        return request.relu && !is_nan(result) && (result.bits & kSign) ? H{0} : result;
    }
};
/// .NaN: a NaN wins. .xorsign.abs: of the magnitudes; the sign is that of a product. A NaN has none.
struct ExtremumModification {
    bool ftz, nan, xorsign;
};
template <class F>
struct ModifiedExtremum {
    using Request = ExtremumModification;
    template <class H>
    static H apply(const Request& request, H a, H b) {
        if (request.ftz) a = flushed(a), b = flushed(b);
        const u16 sign = (a.bits ^ b.bits) & kSign;
        if (request.nan && (is_nan(a) || is_nan(b))) return {kNaN};
        if (!request.xorsign) return F::apply(a, b);
        const H result =
            F::apply(H{static_cast<u16>(a.bits & ~kSign)}, H{static_cast<u16>(b.bits & ~kSign)});
        return is_nan(result) ? result : H{static_cast<u16>((result.bits & ~kSign) | sign)};
    }
};

// ---- pairs ----

template <class H>
struct Pair {
    u32 bits;
};

template <class H>
H half_of(Pair<H> pair, int which) {
    return {static_cast<u16>(pair.bits >> (16 * which))};
}
/// Requests: F::Request, where F::apply takes one.
template <class F, class... Requests>
struct InPairs : F {
    template <class H, class... Rest>
    static Pair<H> apply(const Requests&... request, Pair<H> a, Rest... rest) {
        const u32 low = F::apply(request..., half_of(a, 0), half_of(rest, 0)...).bits;
        const u32 high = F::apply(request..., half_of(a, 1), half_of(rest, 1)...).bits;
        return {low | high << 16};
    }
};

/// The operation on whichever of the four types is named.
template <class F, int kSources, class... Requests>
LaneInstruction for_halves(Type type, const Requests&... request) {
    using Paired = InPairs<F, Requests...>;
    switch (type) {
        case Type::f16: return all_alike<F, F16, kSources>(request...);
        case Type::bf16: return all_alike<F, BF16, kSources>(request...);
        case Type::f16x2: return all_alike<Paired, Pair<F16>, kSources>(request...);
        case Type::bf16x2: return all_alike<Paired, Pair<BF16>, kSources>(request...);
        default: return {};
    }
}
bool is_f16(Type type) {
    return type == Type::f16 || type == Type::f16x2;
}

/// {.rn}{.ftz}{.sat or .relu}; only rounding and .relu are for bf16, and .relu is for fma alone.
template <class F, int kSources>
LaneInstruction arithmetic(Modifiers& m) {
    m.take("rn");
    const bool ftz = m.take("ftz"), sat = m.take("sat"), relu = kSources == 3 && m.take("relu");
    const Type type = m.take_type();
    if ((sat && relu) || ((ftz || sat) && !is_f16(type))) return {};
    if (!ftz && !sat && !relu) return for_halves<F, kSources>(type);
    return for_halves<Modified<F>, kSources>(type, Modification{ftz, sat, relu});
}

template <class F>
LaneInstruction sign_change(Modifiers& m) {
    const bool ftz = m.take("ftz");
    const Type type = m.take_type();
    if (!ftz) return for_halves<F, 1>(type);
    if (!is_f16(type)) return {};
    return for_halves<Modified<F>, 1>(type, Modification{.ftz = true});
}

template <class F>
LaneInstruction approximation(Modifiers& m) {
    if (!m.take("approx")) return {};
    const bool ftz = m.take("ftz");
    return for_halves<Modified<F>, 1>(m.take_type(), Modification{.ftz = ftz});
}

template <bool kMaximum>
LaneInstruction extremum(Modifiers& m) {
    using F = Extremum<kMaximum>;
    const bool ftz = m.take("ftz"), nan = m.take("NaN"),
               xorsign = m.take("xorsign") && m.take("abs");
    const Type type = m.take_type();
    if (ftz && !is_f16(type)) return {};
    if (!ftz && !nan && !xorsign) return for_halves<F, 2>(type);
    return for_halves<ModifiedExtremum<F>, 2>(type, ExtremumModification{ftz, nan, xorsign});
}

}  // namespace

FamilyTable families() {
    return {{"add", arithmetic<Add, 2>},      {"sub", arithmetic<Subtract, 2>},
            {"mul", arithmetic<Multiply, 2>}, {"fma", arithmetic<MultiplyAdd, 3>},
            {"neg", sign_change<Negate>},     {"abs", sign_change<Absolute>},
            {"min", extremum<false>},         {"max", extremum<true>},
            {"ex2", approximation<PowerOf2>}, {"tanh", approximation<HyperbolicTangent>}};
}

}  // namespace coalesce::sim::half_instructions
