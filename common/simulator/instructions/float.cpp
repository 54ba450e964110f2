// Arithmetic on f32 and f64: add sub mul fma mad div abs neg min max copysign testp. Arithmetic on
// single f16 and bf16 values and on pairs: add sub mul fma abs neg min max.
//
// Idea   Each operation is written once, for a value of any format. Its plain form is IEEE
//        arithmetic, which the host provides for f32 and f64, and half.h for halves. For a pair,
//        the operation is applied twice. WithFlushing<F> implements the operation with .ftz. The rare
//        modifiers .sat, .relu and other rounding directions are tested when the instruction runs
//        (WithModifiers<F>).
#include "simulator/instructions/families.h"

namespace coalesce::simulator::float_instructions {
namespace {

using ptx::Type;

struct Add {
    static auto apply(auto a, auto b) { return propagate_nan(a + b, a, b); }
};
struct Subtract {
    static auto apply(auto a, auto b) { return propagate_nan(a - b, a, b); }
};
struct Multiply {
    static auto apply(auto a, auto b) { return propagate_nan(a * b, a, b); }
};
struct Divide {  // if both operands are NaNs, returns the first one
    static auto apply(auto a, auto b) { return propagate_nan(a / b, b, a); }
};
struct MultiplyAdd {
    static auto apply(auto a, auto b, auto c) {
        using std::fma;
        return propagate_nan(fma(a, b, c), a, b, c);
    }
};

template <class F>
struct WithFlushing {
    template <class... T>
    static auto apply(T... sources) {
        return flush_subnormal(F::apply(flush_subnormal(sources)...));
    }
};
/// Flushes a result to zero as hardware does. Hardware first rounds the result to 24 bits, as if
/// exponents had no lower limit, and then tests whether the rounded result is subnormal. A value
/// just below the smallest normal number may therefore be flushed, although the nearest float is
/// that normal number. `scaled_result` is the result times 2^64, which is never subnormal.
inline float flush_by_scaled(float result, float scaled_result) {
    const bool is_tiny = magnitude(result) < 0x1p-126f ||
                         (magnitude(result) == 0x1p-126f && magnitude(scaled_result) < 0x1p-62f);
    return is_tiny ? copy_sign(0.0f, result) : result;
}
/// Returns (a * b + c) * 2^64. The smaller factor is multiplied by 2^64 first, so that the
/// computation does not overflow if the result is nearly subnormal.
inline float scaled_product(float a, float b, float c) {
    const bool first_is_smaller = magnitude(a) < magnitude(b);
    return std::fma((first_is_smaller ? a : b) * 0x1p64f, first_is_smaller ? b : a, c * 0x1p64f);
}
/// Like flush_by_scaled, but for halves. `exact` is the result before rounding, or rounded to odd.
inline F16 flush_f16(double exact) {
    const F16 scaled_result = to_f16(magnitude(exact) * 0x1p10);
    return to_f16(magnitude(exact) < 0x1p-14 && to_float(scaled_result) < 0x1p-4f
                      ? copy_sign(0.0, exact)
                      : exact);
}
inline double exact_product(F16 a, F16 b) {
    return double{to_float(a)} * double{to_float(b)};
}

template <>
struct WithFlushing<Multiply> {
    static float apply(float a, float b) {
        a = flush_subnormal(a), b = flush_subnormal(b);
        return flush_by_scaled(Multiply::apply(a, b), scaled_product(a, b, 0.0f));
    }
    static F16 apply(F16 a, F16 b) {
        return flush_f16(exact_product(flush_subnormal(a), flush_subnormal(b)));
    }
};
template <>
struct WithFlushing<Divide> {
    static float apply(float a, float b) {
        a = flush_subnormal(a), b = flush_subnormal(b);
        // A quotient can be nearly subnormal only if the divisor is large enough to be scaled down.
        return flush_by_scaled(Divide::apply(a, b), a / (b * 0x1p-64f));
    }
};
template <>
struct WithFlushing<MultiplyAdd> {
    static float apply(float a, float b, float c) {
        a = flush_subnormal(a), b = flush_subnormal(b), c = flush_subnormal(c);
        return flush_by_scaled(MultiplyAdd::apply(a, b, c), scaled_product(a, b, c));
    }
    static F16 apply(F16 a, F16 b, F16 c) {
        return flush_f16(add_rounding_to_odd(exact_product(flush_subnormal(a), flush_subnormal(b)),
                                             double{to_float(flush_subnormal(c))}));
    }
};
/// Executes F and applies modifiers to its result. .sat clamps it to [0, 1], and turns a NaN into
/// +0. .relu turns a negative result into +0.
template <class F>
struct WithModifiers {
    static constexpr bool kHostRounds = true;
    struct Request {
        Rounding direction = Rounding::nearest;
        bool ftz = false, sat = false, relu = false;
    };
    template <class T, class... Rest>
    static T apply(const Request& request, T a, Rest... rest) {
        T result = F::apply(a, rest...);
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, F16>) {
            if (request.ftz) result = WithFlushing<F>::apply(a, rest...);
        }
        if (request.sat) result = saturate_to_unit(result);
        return request.relu && !is_nan(result) && (bit_pattern(result) & kSignBit<T>) ? T{}
                                                                                      : result;
    }
};

// ---- choosing a variant by its modifiers ----

template <class F, class T, int kSources>
LaneInstruction make_instruction_with_forms_of_type() {
    if constexpr (kSources == 2)
        return make_instruction_with_forms<F, T, T, T>();
    else
        return make_instruction_with_forms<F, T, T, T, T>();
}

template <class F, int kSources, class... Requests>
LaneInstruction make_for_any_float(Type type, const Requests&... request) {
    if (type == Type::f32) return make_lane_instruction_of_type<F, float, kSources>(request...);
    if (type == Type::f64) return make_lane_instruction_of_type<F, double, kSources>(request...);
    return make_for_halves<F, kSources>(type, request...);
}
/// Reports whether operations on this type accept .ftz.
bool accepts_ftz(Type type) {
    return type == Type::f32 || type == Type::f16 || type == Type::f16x2;
}

/// Describes the operation F with its rounding direction, .ftz and .sat. Only f32 accepts .ftz and
/// .sat.
template <class F, int kSources>
LaneInstruction describe_arithmetic(Modifiers& m) {
    const Rounding rounding = m.take_rounding().value_or(Rounding::nearest);
    const bool ftz = m.take_modifier("ftz"), sat = m.take_modifier("sat");
    const bool is_default_rounding = rounding == Rounding::nearest && !sat;
    const Type type = m.take_type();
    const typename WithModifiers<F>::Request request{rounding, ftz, sat};
    if (type == Type::f64) {
        if (ftz || sat) return {};
        return is_default_rounding
                   ? make_instruction_with_forms_of_type<F, double, kSources>()
                   : make_lane_instruction_of_type<WithModifiers<F>, double, kSources>(request);
    }
    if (type != Type::f32) return {};
    if (!is_default_rounding)
        return make_lane_instruction_of_type<WithModifiers<F>, float, kSources>(request);
    return ftz ? make_instruction_with_forms_of_type<WithFlushing<F>, float, kSources>()
               : make_instruction_with_forms_of_type<F, float, kSources>();
}

/// Describes an operation on halves, whose modifiers are {.rn}{.ftz}{.sat or .relu}. bf16 allows
/// only rounding modifiers and .relu, and .relu is allowed only for fma.
template <class F, int kSources>
LaneInstruction describe_half_arithmetic(Modifiers& m) {
    m.take_modifier("rn");
    const bool ftz = m.take_modifier("ftz"), sat = m.take_modifier("sat"),
               relu = kSources == 3 && m.take_modifier("relu");
    const Type type = m.take_type();
    if ((sat && relu) || ((ftz || sat) && !accepts_ftz(type))) return {};
    if (!ftz && !sat && !relu) return make_for_halves<F, kSources>(type);
    using Request = typename WithModifiers<F>::Request;
    return make_for_halves<WithModifiers<F>, kSources>(
        type, Request{.ftz = ftz, .sat = sat, .relu = relu});
}

// ---- div ----

/// Divides approximately, by multiplying by an approximate reciprocal. A subnormal reciprocal is
/// flushed to zero, so the quotient is 0 for divisors above 2^126.
struct DivideApproximately {
    static float apply(float a, float b) {
        const float max_divisor = std::bit_cast<float>(0x7e800000u);  // 2^126
        const bool is_too_large = magnitude(b) > max_divisor;
        return canonicalize_nan(is_too_large ? a * copy_sign(0.0f, b) : a / b);
    }
};

LaneInstruction describe_divide(Modifiers& m) {
    const bool is_approximate = m.take_modifier("approx");
    if (!is_approximate && !m.take_modifier("full")) return describe_arithmetic<Divide, 2>(m);
    // .full allows an error of two units in the last place, so the exact quotient is acceptable.
    const bool ftz = m.take_modifier("ftz");
    if (m.take_type() != Type::f32) return {};
    if (is_approximate) {
        return ftz ? make_lane_instruction<WithFlushing<DivideApproximately>, float, float, float>()
                   : make_lane_instruction<DivideApproximately, float, float, float>();
    }
    return ftz ? make_lane_instruction<WithFlushing<Divide>, float, float, float>()
               : make_lane_instruction<Divide, float, float, float>();
}

// ---- abs, neg, copysign ----

struct Absolute {
    static auto apply(auto a) { return propagate_nan(magnitude(a), a); }
};
struct Negate {
    template <class T>
    static T apply(T a) {
        return propagate_nan(make_from_bit_pattern<T>(bit_pattern(a) ^ kSignBit<T>), a);
    }
};

template <class F>
LaneInstruction describe_sign_change(Modifiers& m) {
    const bool ftz = m.take_modifier("ftz");
    const Type type = m.take_type();
    if (ftz && !accepts_ftz(type)) return {};
    return ftz ? make_for_any_float<WithFlushing<F>, 1>(type) : make_for_any_float<F, 1>(type);
}

struct CopySign {
    static auto apply(auto sign, auto value) { return copy_sign(value, sign); }
};
LaneInstruction describe_copy_sign(Modifiers& m) {
    return make_for_floats(
        m.take_type(), []<class T>(Tag<T>) { return make_lane_instruction<CopySign, T, T, T>(); });
}

// ---- min, max ----

/// Returns the larger number if kMaximum is true, and otherwise the smaller one. -0 is less than
/// +0. If one operand is a NaN, returns the other one.
template <bool kMaximum>
struct Extremum {
    template <class T>
    static T apply(T a, T b) {
        const auto x = to_arithmetic(a), y = to_arithmetic(b);
        // Operands that compare equal differ only if they are zeros of different sign.
        const T if_equal = make_from_bit_pattern<T>(kMaximum ? bit_pattern(a) & bit_pattern(b)
                                                             : bit_pattern(a) | bit_pattern(b));
        const T ordered_result = x == y ? if_equal : ((x < y) == kMaximum ? b : a);
        const T result = is_nan(a) ? b : is_nan(b) ? a : ordered_result;
        return propagate_nan(result, result);
    }
};
/// Applies modifiers. With .NaN, the result is a NaN if an operand is a NaN. With .xorsign.abs, the
/// magnitudes are compared, and the sign of the result is the sign of the product of the operands.
/// A NaN result has no sign.
template <class F>
struct ExtremumWithModifiers {
    struct Request {
        bool ftz, nan, xorsign;
    };
    template <class T>
    static T apply(const Request& request, T a, T b) {
        if (request.ftz) a = flush_subnormal(a), b = flush_subnormal(b);
        if (request.nan && (is_nan(a) || is_nan(b))) return make_from_bit_pattern<T>(~kSignBit<T>);
        if (!request.xorsign) return F::apply(a, b);
        const T result = F::apply(magnitude(a), magnitude(b));
        return is_nan(result)
                   ? result
                   : copy_sign(result, make_from_bit_pattern<T>(bit_pattern(a) ^ bit_pattern(b)));
    }
};

template <bool kMaximum>
LaneInstruction describe_extremum(Modifiers& m) {
    using F = Extremum<kMaximum>;
    const bool ftz = m.take_modifier("ftz"), nan = m.take_modifier("NaN"),
               xorsign = m.take_modifier("xorsign") && m.take_modifier("abs");
    const Type type = m.take_type();
    if (ftz && !accepts_ftz(type)) return {};
    if (!nan && !xorsign)
        return ftz ? make_for_any_float<WithFlushing<F>, 2>(type) : make_for_any_float<F, 2>(type);
    if (type == Type::f64) return {};
    using Request = typename ExtremumWithModifiers<F>::Request;
    return make_for_any_float<ExtremumWithModifiers<F>, 2>(type, Request{ftz, nan, xorsign});
}

// ---- testp ----

/// Reports whether `a` belongs to a class of numbers. `class_code` is the index of the class among
/// the names that `describe_test` accepts.
template <class T>
bool is_in_class(i64 class_code, T a) {
    const auto bits = bit_pattern(magnitude(a));
    const auto exponent = bits & kExponentBits<T>;
    switch (class_code) {
        case 0: return exponent != kExponentBits<T>;
        case 1: return bits == kExponentBits<T>;
        case 2: return bits <= kExponentBits<T>;
        case 3: return bits > kExponentBits<T>;
        case 4: return (exponent != 0 || bits == 0) && exponent != kExponentBits<T>;
        default: return exponent == 0 && bits != 0;
    }
}

template <class T>
const Op* run_test(Warp& w, const Op* op) {
    const auto* a = w.lanes<LaneOf<T>>(op->a);
    Mask true_lanes = 0;
    for (int l = 0; l < kLanes; ++l)
        true_lanes |= Mask{is_in_class(op->immediate, from_lane<T>(a[l]))} << l;
    w.write_predicate(op->d, true_lanes);
    return op + 1;
}

LaneInstruction describe_test(Modifiers& m) {
    const int class_code =
        m.take_alternative({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    if (class_code < 0) return {};
    return make_for_floats(m.take_type(), [class_code]<class T>(Tag<T>) -> LaneInstruction {
        return {.run = run_test<T>,
                .destination_width = Width::predicate,
                .source_widths = {width_of<T>},
                .constant = class_code};
    });
}

}  // namespace

FamilyTable families() {
    return {{"add", describe_arithmetic<Add, 2>},
            {"sub", describe_arithmetic<Subtract, 2>},
            {"mul", describe_arithmetic<Multiply, 2>},
            {"fma", describe_arithmetic<MultiplyAdd, 3>},
            {"mad", describe_arithmetic<MultiplyAdd, 3>},
            {"add", describe_half_arithmetic<Add, 2>},
            {"sub", describe_half_arithmetic<Subtract, 2>},
            {"mul", describe_half_arithmetic<Multiply, 2>},
            {"fma", describe_half_arithmetic<MultiplyAdd, 3>},
            {"div", describe_divide},
            {"abs", describe_sign_change<Absolute>},
            {"neg", describe_sign_change<Negate>},
            {"copysign", describe_copy_sign},
            {"min", describe_extremum<false>},
            {"max", describe_extremum<true>},
            {"testp", describe_test}};
}

}  // namespace coalesce::simulator::float_instructions
