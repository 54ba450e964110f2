// Arithmetic on f32 and f64: add sub mul fma mad div abs neg min max copysign.
//
// Idea   The plain operation is IEEE's, which the host has too. Flushing<F> wraps it for .ftz; .sat and other
//        directions of rounding are rare, and are asked for when it runs (Modified<F>).
#include "base/float.h"

#include "instructions/families.h"

namespace coalesce::sim::float_instructions {
namespace {

using ptx::Type;

struct Add {
    static auto apply(auto a, auto b) { return with_nan(a + b, a, b); }
};
struct Subtract {
    static auto apply(auto a, auto b) { return with_nan(a - b, a, b); }
};
struct Multiply {
    static auto apply(auto a, auto b) { return with_nan(a * b, a, b); }
};
struct Divide {  // of two NaNs the first
    static auto apply(auto a, auto b) { return with_nan(a / b, b, a); }
};
struct MultiplyAdd {
    static auto apply(auto a, auto b, auto c) { return with_nan(std::fma(a, b, c), a, b, c); }
};

template <class F>
struct Flushing {
    template <class... T>
    static auto apply(T... sources) {
        return flush(F::apply(flush(sources)...));
    }
};
/// Whether a result is subnormal is decided after it was rounded to 24 bits, as if there were no
/// lowest exponent. What is just below the smallest normal number may therefore be rounded up to it as a
/// subnormal, and is flushed all the same. `scaled` is the result 2^64 times as large, where
/// nothing is subnormal.
inline float flushed_by_scaled(float result, float scaled) {
    const bool is_tiny = magnitude(result) < 0x1p-126f ||
                         (magnitude(result) == 0x1p-126f && magnitude(scaled) < 0x1p-62f);
    return is_tiny ? with_sign_of(0.0f, result) : result;
}
/// The smaller one 2^64 times as large. When their product is close to subnormal, that does not
/// overflow.
inline float scaled_product(float a, float b, float c) {
    const bool first_is_smaller = magnitude(a) < magnitude(b);
    return std::fma((first_is_smaller ? a : b) * 0x1p64f, first_is_smaller ? b : a, c * 0x1p64f);
}

template <>
struct Flushing<Multiply> {
    static float apply(float a, float b) {
        a = flush(a), b = flush(b);
        return flushed_by_scaled(Multiply::apply(a, b), scaled_product(a, b, 0.0f));
    }
};
template <>
struct Flushing<Divide> {
    static float apply(float a, float b) {
        a = flush(a), b = flush(b);
        // Of a quotient that is close to subnormal the divisor is large.
        return flushed_by_scaled(Divide::apply(a, b), a / (b * 0x1p-64f));
    }
};
template <>
struct Flushing<MultiplyAdd> {
    static float apply(float a, float b, float c) {
        a = flush(a), b = flush(b), c = flush(c);
        return flushed_by_scaled(MultiplyAdd::apply(a, b, c), scaled_product(a, b, c));
    }
};
template <class F>
struct Modified {
    static constexpr bool kHostRounds = true;
    struct Request {
        Rounding direction;
        bool ftz, sat;
    };
    template <class T, class... Rest>
    static T apply(const Request& request, T a, Rest... rest) {
        T result = F::apply(a, rest...);
        if constexpr (std::is_same_v<T, float>) {
            if (request.ftz) result = Flushing<F>::apply(a, rest...);
        }
        return request.sat ? saturate_to_unit(result) : result;
    }
};

// ---- from modifiers to one of the variants ----

template <class F, class T, int kSources>
LaneInstruction all_alike_with_forms() {
    if constexpr (kSources == 2)
        return with_forms<F, T, T, T>();
    else
        return with_forms<F, T, T, T, T>();
}

/// F with rounding, .ftz and .sat; the last two are for f32 alone.
template <class F, int kSources>
LaneInstruction arithmetic(Modifiers& m) {
    const Rounding rounding = m.take_rounding().value_or(Rounding::nearest);
    const bool ftz = m.take("ftz"), sat = m.take("sat");
    const bool is_usual = rounding == Rounding::nearest && !sat;
    const Type type = m.take_type();
    const typename Modified<F>::Request request{rounding, ftz, sat};
    if (type == Type::f64) {
        if (ftz || sat) return {};
        return is_usual ? all_alike_with_forms<F, double, kSources>()
                        : all_alike<Modified<F>, double, kSources>(request);
    }
    if (type != Type::f32) return {};
    if (!is_usual) return all_alike<Modified<F>, float, kSources>(request);
    return ftz ? all_alike_with_forms<Flushing<F>, float, kSources>()
               : all_alike_with_forms<F, float, kSources>();
}

// ---- div ----

/// The fast division multiplies with an approximate reciprocal, whose subnormals are flushed: past
/// 2^126 the reciprocal is 0.
struct DivideApproximately {
    static float apply(float a, float b) {
        const float reciprocal_is_zero = std::bit_cast<float>(0x7e800000u);  // 2^126
        const bool too_large = magnitude(b) > reciprocal_is_zero;
        return canonical(too_large ? a * with_sign_of(0.0f, b) : a / b);
    }
};

LaneInstruction divide(Modifiers& m) {
    const bool approximate = m.take("approx");
    if (!approximate && !m.take("full")) return arithmetic<Divide, 2>(m);
    // .full may err by two units in the last place: the exact quotient will do.
    const bool ftz = m.take("ftz");
    if (m.take_type() != Type::f32) return {};
    if (approximate) {
        return ftz ? in_lanes<Flushing<DivideApproximately>, float, float, float>()
                   : in_lanes<DivideApproximately, float, float, float>();
    }
    return ftz ? in_lanes<Flushing<Divide>, float, float, float>()
               : in_lanes<Divide, float, float, float>();
}

// ---- abs, neg, copysign ----

struct Absolute {
    static auto apply(auto a) { return with_nan(magnitude(a), a); }
};
struct Negate {
    template <class T>
    static T apply(T a) {
        return with_nan(std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) ^ kSignBit<T>), a);
    }
};

template <class F>
LaneInstruction sign_change(Modifiers& m) {
    const bool ftz = m.take("ftz");
    const Type type = m.take_type();
    if (type == Type::f64) return ftz ? LaneInstruction{} : in_lanes<F, double, double>();
    if (type != Type::f32) return {};
    return ftz ? in_lanes<Flushing<F>, float, float>() : in_lanes<F, float, float>();
}

struct CopySign {
    static auto apply(auto sign, auto value) { return with_sign_of(value, sign); }
};
LaneInstruction copy_sign(Modifiers& m) {
    return for_floats(m.take_type(), []<class T>(Tag<T>) { return in_lanes<CopySign, T, T, T>(); });
}

// ---- min, max ----

/// One of two numbers, where -0 is less than +0. A NaN loses; against another NaN it stays.
template <bool kMaximum>
struct Extremum {
    template <class T>
    static T apply(T a, T b) {
        const auto a_bits = std::bit_cast<BitsOf<T>>(a), b_bits = std::bit_cast<BitsOf<T>>(b);
        // Equal values differ at most in the sign of a zero.
        const T if_equal = std::bit_cast<T>(kMaximum ? a_bits & b_bits : a_bits | b_bits);
        const T ordered = a == b ? if_equal : ((a < b) == kMaximum ? b : a);
        const T result = a != a ? b : b != b ? a : ordered;
        return with_nan(result, result);
    }
};
/// .NaN: a NaN wins. .xorsign.abs: of the magnitudes; the sign is that of a product. A NaN has none.
template <class F>
struct ModifiedExtremum {
    struct Request {
        bool ftz, nan, xorsign;
    };
    static float apply(const Request& request, float a, float b) {
        if (request.ftz) a = flush(a), b = flush(b);
        const float first = request.xorsign ? magnitude(a) : a;
        const float second = request.xorsign ? magnitude(b) : b;
        const bool is_nan = request.nan && (a != a || b != b);
        const float result = is_nan ? std::bit_cast<float>(kNaN32) : F::apply(first, second);
        if (!request.xorsign || result != result) return result;
        const auto sign = std::bit_cast<u32>(a) ^ std::bit_cast<u32>(b);
        return with_sign_of(result, std::bit_cast<float>(sign));
    }
};

template <bool kMaximum>
LaneInstruction extremum(Modifiers& m) {
    using F = Extremum<kMaximum>;
    const bool ftz = m.take("ftz"), nan = m.take("NaN"),
               xorsign = m.take("xorsign") && m.take("abs");
    const Type type = m.take_type();
    if (type == Type::f64) {
        return ftz || nan || xorsign ? LaneInstruction{} : in_lanes<F, double, double, double>();
    }
    if (type != Type::f32) return {};
    if (nan || xorsign)
        return in_lanes<ModifiedExtremum<F>, float, float, float>({ftz, nan, xorsign});
    return ftz ? in_lanes<Flushing<F>, float, float, float>() : in_lanes<F, float, float, float>();
}

// ---- testp ----

/// An index of the names that `test` takes.
template <class T>
bool is_kind(i64 kind, T a) {
    const auto bits = std::bit_cast<BitsOf<T>>(a) & ~kSignBit<T>;
    const auto exponent = bits & kExponentBits<T>;
    switch (kind) {
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
    Mask is_true = 0;
    for (int l = 0; l < kLanes; ++l)
        is_true |= Mask{is_kind(op->immediate, from_lane<T>(a[l]))} << l;
    w.write_predicate(op->d, is_true);
    return op + 1;
}

LaneInstruction test(Modifiers& m) {
    const int kind =
        m.take_one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    if (kind < 0) return {};
    return for_floats(m.take_type(), [kind]<class T>(Tag<T>) -> LaneInstruction {
        return {.run = run_test<T>,
                .destination = Width::predicate,
                .source = {width_of<T>},
                .constant = kind};
    });
}

}  // namespace

FamilyTable families() {
    return {{"add", arithmetic<Add, 2>},
            {"sub", arithmetic<Subtract, 2>},
            {"mul", arithmetic<Multiply, 2>},
            {"fma", arithmetic<MultiplyAdd, 3>},
            {"mad", arithmetic<MultiplyAdd, 3>},
            {"div", divide},
            {"abs", sign_change<Absolute>},
            {"neg", sign_change<Negate>},
            {"copysign", copy_sign},
            {"min", extremum<false>},
            {"max", extremum<true>},
            {"testp", test}};
}

}  // namespace coalesce::sim::float_instructions
