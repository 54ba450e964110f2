// Roots and transcendental functions: rcp sqrt rsqrt sin cos lg2 ex2 tanh.
//
// Idea   The device approximates most of these, within error bounds that the PTX manual states.
//        Here they are computed in double precision and rounded once, which is within any such
//        bound; so a result may differ from the device's in the last bits, and is then the better
//        one.
#include "base/float.h"
#include "instructions/families.h"

namespace coalesce::sim::math_instructions {
namespace {

using ptx::Type;

/// f(a) for an f32 through double. A struct, so that it has an `apply` like all others.
template <double (*kFunction)(double)>
struct InDouble {
    static float apply(float a) {
        return canonical(static_cast<float>(kFunction(static_cast<double>(a))));
    }
};

double reciprocal(double a) {
    return 1 / a;
}
double square_root(double a) {
    return std::sqrt(a);
}
double reciprocal_root(double a) {
    return 1 / std::sqrt(a);
}
double sine(double a) {
    return std::sin(a);
}
double cosine(double a) {
    return std::cos(a);
}
double logarithm2(double a) {
    return std::log2(a);
}
double power_of_2(double a) {
    return std::exp2(a);
}
double hyperbolic_tangent(double a) {
    return std::tanh(a);
}

template <class F>
struct Flushing {
    static float apply(float a) { return flush(F::apply(flush(a))); }
};

template <class F>
LaneInstruction approximation(Modifiers& m) {
    const bool ftz = m.take("ftz");
    if (m.take_type() != Type::f32) return {};
    return ftz ? in_lanes<Flushing<F>, float, float>() : in_lanes<F, float, float>();
}

template <double (*kFunction)(double)>
LaneInstruction function(Modifiers& m) {
    return m.take("approx") ? approximation<InDouble<kFunction>>(m) : LaneInstruction{};
}

// ---- rcp and sqrt also exist correctly rounded, for f32 and f64 ----

struct Reciprocal {
    static auto apply(auto a) { return with_nan(1 / a, a); }
};
struct SquareRoot {
    static auto apply(auto a) { return with_nan(std::sqrt(a), a); }
};

/// Here it is all one whether "subnormal" is decided before or after rounding (see float.cpp): no
/// reciprocal lies so close below the smallest normal number that 24 bits would round it up to it.
template <>
struct Flushing<Reciprocal> {
    static float apply(float a) {
        const float result = Reciprocal::apply(flush(a));
        const bool is_tiny = magnitude(1 / double{a}) < 0x1p-126;
        return is_tiny ? with_sign_of(0.0f, result) : result;
    }
};

template <class F>
struct Directed {
    static constexpr bool kHostRounds = true;
    struct Request {
        Rounding direction;
    };
    static auto apply(const Request&, auto a) { return F::apply(a); }
};
template <class F, class T>
LaneInstruction rounded_to(Rounding direction) {
    return direction == Rounding::nearest ? in_lanes<F, T, T>()
                                          : in_lanes<Directed<F>, T, T>({direction});
}

template <class F>
LaneInstruction rounded_function(Modifiers& m) {
    const auto direction = m.take_rounding();
    const bool ftz = m.take("ftz");
    const Type type = m.take_type();
    if (!direction) return {};
    if (type == Type::f32) {
        return ftz ? rounded_to<Flushing<F>, float>(*direction) : rounded_to<F, float>(*direction);
    }
    return type == Type::f64 && !ftz ? rounded_to<F, double>(*direction) : LaneInstruction{};
}

// ---- the rough ones in double precision: a starting point for Newton's iteration ----
//
// Only the upper 32 bits of the operand count, and only those of the result are set.

constexpr u64 kUpperHalf = 0xffffffff00000000u;

template <class F>
struct InUpperHalf {
    static double apply(double a) {
        const double upper = flush(std::bit_cast<double>(std::bit_cast<u64>(a) & kUpperHalf));
        const double result = F::apply(a != a ? a : upper);
        if (result != result) return std::bit_cast<double>(u64{kNaN32} << 32);
        const u64 rounded = (std::bit_cast<u64>(result) + 0x80000000u) & kUpperHalf;
        return flush(std::bit_cast<double>(rounded));
    }
};
struct ReciprocalRoot {
    static double apply(double a) { return 1 / std::sqrt(a); }
};

template <class F>
LaneInstruction rough(Modifiers& m) {
    if (!m.take("approx") || m.take_type() != Type::f64) return {};
    // Without .ftz the assembler adds the iteration itself: an H200 is then within a unit in the
    // last place.
    return m.take("ftz") ? in_lanes<InUpperHalf<F>, double, double>()
                         : in_lanes<F, double, double>();
}

}  // namespace

FamilyTable families() {
    return {{"rcp", function<reciprocal>},
            {"rcp", rounded_function<Reciprocal>},
            {"rcp", rough<Reciprocal>},
            {"sqrt", function<square_root>},
            {"sqrt", rounded_function<SquareRoot>},
            {"rsqrt", function<reciprocal_root>},
            {"rsqrt", rough<ReciprocalRoot>},
            {"sin", function<sine>},
            {"cos", function<cosine>},
            {"lg2", function<logarithm2>},
            {"ex2", function<power_of_2>},
            {"tanh", function<hyperbolic_tangent>}};
}

}  // namespace coalesce::sim::math_instructions
