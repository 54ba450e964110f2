// Roots and transcendental functions: rcp sqrt rsqrt sin cos lg2 ex2 tanh. For halves, only ex2 and
// tanh.
//
// Idea   The device approximates most of these functions, within the error bounds stated in the PTX
//        manual. Here, the functions are computed in double precision and rounded once, which
//        satisfies all of these bounds. A result that differs from the device's is the more
//        accurate of the two, and differs only in the last bits.
#include "simulator/instructions/families.h"

namespace coalesce::simulator::math_instructions {
namespace {

using ptx::Type;

struct Reciprocal {
    static auto apply(auto a) { return propagate_nan(1 / a, a); }
};
struct SquareRoot {
    static auto apply(auto a) { return propagate_nan(std::sqrt(a), a); }
};
struct ReciprocalRoot {
    static double apply(double a) { return 1 / std::sqrt(a); }
};
struct Sine {
    static double apply(double a) { return std::sin(a); }
};
struct Cosine {
    static double apply(double a) { return std::cos(a); }
};
struct Logarithm2 {
    static double apply(double a) { return std::log2(a); }
};
struct PowerOf2 {
    static double apply(double a) { return std::exp2(a); }
};
struct HyperbolicTangent {
    static double apply(double a) { return std::tanh(a); }
};

/// Computes F in double precision, for an f32 or a half.
template <class F>
struct ComputedInDouble {
    template <class T>
    static T apply(T a) {
        return canonicalize_nan(round_to_nearest<T>(F::apply(double{to_arithmetic(a)})));
    }
};
template <class F>
struct WithFlushing {
    static auto apply(auto a) { return flush_subnormal(F::apply(flush_subnormal(a))); }
};

template <class F>
LaneInstruction describe_approximation(Modifiers& m) {
    if (!m.take_modifier("approx")) return {};
    const bool ftz = m.take_modifier("ftz");
    if (m.take_type() != Type::f32) return {};
    return ftz ? make_lane_instruction<WithFlushing<ComputedInDouble<F>>, float, float>()
               : make_lane_instruction<ComputedInDouble<F>, float, float>();
}

template <class F>
LaneInstruction describe_half_approximation(Modifiers& m) {
    if (!m.take_modifier("approx")) return {};
    const bool ftz = m.take_modifier("ftz");
    const Type type = m.take_type();
    return ftz ? make_for_halves<WithFlushing<ComputedInDouble<F>>, 1>(type)
               : make_for_halves<ComputedInDouble<F>, 1>(type);
}

// ---- rcp and sqrt, which have correctly rounded variants for f32 and f64 ----

/// Tests before rounding whether the result is subnormal. A test after rounding to 24 bits (see
/// float.cpp) would have the same outcome, because no reciprocal just below the smallest normal
/// number rounds up to that number.
template <>
struct WithFlushing<Reciprocal> {
    static float apply(float a) {
        const float result = Reciprocal::apply(flush_subnormal(a));
        const bool is_tiny = magnitude(1 / double{a}) < 0x1p-126;
        return is_tiny ? copy_sign(0.0f, result) : result;
    }
};

template <class F>
struct RoundedInDirection {
    static constexpr bool kHostRounds = true;
    struct Request {
        Rounding direction;
    };
    static auto apply(const Request&, auto a) { return F::apply(a); }
};
template <class F, class T>
LaneInstruction describe_rounded_to(Rounding direction) {
    return direction == Rounding::nearest
               ? make_lane_instruction<F, T, T>()
               : make_lane_instruction<RoundedInDirection<F>, T, T>({direction});
}

template <class F>
LaneInstruction describe_rounded_function(Modifiers& m) {
    const auto direction = m.take_rounding();
    const bool ftz = m.take_modifier("ftz");
    const Type type = m.take_type();
    if (!direction) return {};
    if (type == Type::f32) {
        return ftz ? describe_rounded_to<WithFlushing<F>, float>(*direction)
                   : describe_rounded_to<F, float>(*direction);
    }
    return type == Type::f64 && !ftz ? describe_rounded_to<F, double>(*direction)
                                     : LaneInstruction{};
}

// ---- rough approximations in double precision, as starting points for Newton's method ----
//
// They use only the upper 32 bits of the operand, and set only the upper 32 bits of the result.

constexpr u64 kUpperHalfMask = 0xffffffff00000000u;

template <class F>
struct ComputedInUpperHalf {
    static double apply(double a) {
        const double upper =
            flush_subnormal(std::bit_cast<double>(std::bit_cast<u64>(a) & kUpperHalfMask));
        const double result = F::apply(a != a ? a : upper);
        if (result != result) return std::bit_cast<double>(u64{kCanonicalNan32} << 32);
        const u64 rounded = (std::bit_cast<u64>(result) + 0x80000000u) & kUpperHalfMask;
        return flush_subnormal(std::bit_cast<double>(rounded));
    }
};

template <class F>
LaneInstruction describe_double_approximation(Modifiers& m) {
    if (!m.take_modifier("approx") || m.take_type() != Type::f64) return {};
    // Without .ftz, ptxas adds iterations of Newton's method. On an H200, the result is within one
    // unit in the last place.
    return m.take_modifier("ftz") ? make_lane_instruction<ComputedInUpperHalf<F>, double, double>()
                                  : make_lane_instruction<F, double, double>();
}

}  // namespace

FamilyTable families() {
    return {{"rcp", describe_approximation<Reciprocal>},
            {"rcp", describe_rounded_function<Reciprocal>},
            {"rcp", describe_double_approximation<Reciprocal>},
            {"sqrt", describe_approximation<SquareRoot>},
            {"sqrt", describe_rounded_function<SquareRoot>},
            {"rsqrt", describe_approximation<ReciprocalRoot>},
            {"rsqrt", describe_double_approximation<ReciprocalRoot>},
            {"sin", describe_approximation<Sine>},
            {"cos", describe_approximation<Cosine>},
            {"lg2", describe_approximation<Logarithm2>},
            {"ex2", describe_approximation<PowerOf2>},
            {"ex2", describe_half_approximation<PowerOf2>},
            {"tanh", describe_approximation<HyperbolicTangent>},
            {"tanh", describe_half_approximation<HyperbolicTangent>}};
}

}  // namespace coalesce::simulator::math_instructions
