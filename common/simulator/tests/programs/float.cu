// only with --all: instructions in inline PTX, which every compiler passes on unchanged
// Tests f32 and f64 arithmetic in every rounding direction against the host's IEEE arithmetic.
//
// In single precision, a NaN must be 0x7fffffff. Any NaN is accepted in double precision, and for
// instructions (abs, neg) for which the PTX manual does not specify the NaN.
// nvcc: --extended-lambda -Xcompiler -frounding-math
// expect: add sub mul f32: ok
// expect: fma f32: ok
// expect: div rcp sqrt f32: ok
// expect: add sub mul f64: ok
// expect: fma f64: ok
// expect: div rcp sqrt f64: ok
// expect: flushing of subnormals: ok
// expect: saturation: ok
// expect: approximations: ok
// expect: approximated functions: ok
// expect: min max f32: ok
// expect: min max f64: ok
// expect: abs neg copysign: ok
// expect: testp: ok
#include <cfenv>
#include <cmath>

#include "device_function.h"

// ---- expected results ----

float canonical(float value) { return value == value ? value : f32(0x7fffffff); }
double canonical(double value) { return value; }

/// Returns operation(operands...), computed in the given rounding direction.
template <int kDirection, class Operation, class T, class... Rest>
T rounded(Operation operation, T first, Rest... rest) {
    std::fesetround(kDirection);
    volatile T result = operation(first, rest...);
    std::fesetround(FE_TONEAREST);
    return canonical(static_cast<T>(result));
}

template <class T> T sum(T a, T b) { return a + b; }
template <class T> T difference(T a, T b) { return a - b; }
template <class T> T product(T a, T b) { return a * b; }
template <class T> T quotient(T a, T b) { return a / b; }
template <class T> T fused(T a, T b, T c) { return std::fma(a, b, c); }
template <class T> T reciprocal(T a) { return T{1} / a; }
template <class T> T root(T a) { return std::sqrt(a); }

float flushed(float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
float saturated(float value) {
    // A NaN and -0 must also become +0, so the condition `value <= 0` would be incorrect.
    if (!(value > 0)) return 0;
    return value < 1 ? value : 1;
}

template <class T>
bool is_good(const T& got, const T& wanted) {
    return sizeof(T) == 8 ? same_number(got, wanted) : same_bits(got, wanted);
}

#define PARAMETERS_1(T) T a
#define PARAMETERS_2(T) T a, T b
#define PARAMETERS_3(T) T a, T b, T c
#define EACH_1(F) F(a)
#define EACH_2(F) F(a), F(b)
#define EACH_3(F) F(a), F(b), F(c)
template <class T> T as_it_is(T value) { return value; }

// Tests an instruction with modifier M. R is the register letter, and N is the number of operands.
#define ROUNDED(N, NAME, M, TYPE, T, R, OPERANDS, HOST, FE)                                           \
    group.check(NAME M TYPE, OPERANDS, DEVICE_##N(NAME M TYPE, T, "=" R, T, R),                       \
                [](PARAMETERS_##N(T)) { return rounded<FE>(HOST<T>, EACH_##N(as_it_is)); },               \
                is_good<T>)
#define ALL_ROUNDINGS(N, NAME, TYPE, T, R, OPERANDS, HOST)                   \
    ROUNDED(N, NAME, ".rn", TYPE, T, R, OPERANDS, HOST, FE_TONEAREST);      \
    ROUNDED(N, NAME, ".rz", TYPE, T, R, OPERANDS, HOST, FE_TOWARDZERO);     \
    ROUNDED(N, NAME, ".rm", TYPE, T, R, OPERANDS, HOST, FE_DOWNWARD);       \
    ROUNDED(N, NAME, ".rp", TYPE, T, R, OPERANDS, HOST, FE_UPWARD)

void test_f32() {
    const auto one = float_operands<float>(1), two = float_operands<float>(2), three = float_operands<float>(3);
    {
        Group group("add sub mul f32");
        ALL_ROUNDINGS(2, "add", ".f32", float, "f", two, sum);
        ALL_ROUNDINGS(2, "sub", ".f32", float, "f", two, difference);
        ALL_ROUNDINGS(2, "mul", ".f32", float, "f", two, product);
        ROUNDED(2, "add", "", ".f32", float, "f", two, sum, FE_TONEAREST);
        ROUNDED(2, "sub", "", ".f32", float, "f", two, difference, FE_TONEAREST);
        ROUNDED(2, "mul", "", ".f32", float, "f", two, product, FE_TONEAREST);
    }
    {
        Group group("fma f32");
        ALL_ROUNDINGS(3, "fma", ".f32", float, "f", three, fused);
        ALL_ROUNDINGS(3, "mad", ".f32", float, "f", three, fused);
    }
    {
        Group group("div rcp sqrt f32");
        ALL_ROUNDINGS(2, "div", ".f32", float, "f", two, quotient);
        ALL_ROUNDINGS(1, "rcp", ".f32", float, "f", one, reciprocal);
        ALL_ROUNDINGS(1, "sqrt", ".f32", float, "f", one, root);
    }
}

void test_f64() {
    const auto one = float_operands<double>(1), two = float_operands<double>(2), three = float_operands<double>(3);
    {
        Group group("add sub mul f64");
        ALL_ROUNDINGS(2, "add", ".f64", double, "d", two, sum);
        ALL_ROUNDINGS(2, "sub", ".f64", double, "d", two, difference);
        ALL_ROUNDINGS(2, "mul", ".f64", double, "d", two, product);
    }
    {
        Group group("fma f64");
        ALL_ROUNDINGS(3, "fma", ".f64", double, "d", three, fused);
        ALL_ROUNDINGS(3, "mad", ".f64", double, "d", three, fused);
    }
    {
        Group group("div rcp sqrt f64");
        ALL_ROUNDINGS(2, "div", ".f64", double, "d", two, quotient);
        ALL_ROUNDINGS(1, "rcp", ".f64", double, "d", one, reciprocal);
        ALL_ROUNDINGS(1, "sqrt", ".f64", double, "d", one, root);
    }
}

/// Flushes a result to zero if it is subnormal after rounding to 24 bits with an unbounded
/// exponent. `larger` is the result times 2^64, rounded in the same direction.
float flushed_by_size(float larger, float result) {
    return std::fabs(larger) < 0x1p-62f ? std::copysign(0.0f, result) : flushed(result);
}
/// Returns operation(operands...) times 2^64 as a float, rounded in the given direction. For these
/// operands, the 64 bits of a long double suffice for the intermediate result.
template <int kDirection, class Operation, class... Operands>
float rounded_larger(Operation operation, Operands... operands) {
    return rounded<kDirection>(
        [=](float scale) {
            return static_cast<float>(operation(static_cast<long double>(operands)...) * scale);
        },
        0x1p64f);
}
#define FLUSHED(N, TEXT, OPERANDS, HOST, FE)                                                          \
    group.check(TEXT, OPERANDS, DEVICE_##N(TEXT, float, "=f", float, "f"), [](PARAMETERS_##N(float)) { \
        return flushed_by_size(rounded_larger<FE>(HOST<long double>, EACH_##N(flushed)),              \
                               rounded<FE>(HOST<float>, EACH_##N(flushed)));                          \
    })
#define SATURATED(N, TEXT, OPERANDS, HOST, FE)                                    \
    group.check(TEXT, OPERANDS, DEVICE_##N(TEXT, float, "=f", float, "f"),        \
                [](PARAMETERS_##N(float)) {           \
                    return saturated(rounded<FE>(HOST<float>, EACH_##N(as_it_is)));             \
                })

void test_modifiers() {
    const auto one = float_operands<float>(1), two = float_operands<float>(2), three = float_operands<float>(3);
    {
        Group group("flushing of subnormals");
        FLUSHED(2, "add.ftz.f32", two, sum, FE_TONEAREST);
        FLUSHED(2, "sub.rz.ftz.f32", two, difference, FE_TOWARDZERO);
        FLUSHED(2, "mul.ftz.f32", two, product, FE_TONEAREST);
        FLUSHED(2, "mul.rm.ftz.f32", two, product, FE_DOWNWARD);
        FLUSHED(3, "fma.rn.ftz.f32", three, fused, FE_TONEAREST);
        FLUSHED(3, "fma.rz.ftz.f32", three, fused, FE_TOWARDZERO);
        FLUSHED(2, "div.rn.ftz.f32", two, quotient, FE_TONEAREST);
        FLUSHED(1, "rcp.rn.ftz.f32", one, reciprocal, FE_TONEAREST);
        FLUSHED(1, "sqrt.rn.ftz.f32", one, root, FE_TONEAREST);
    }
    {
        Group group("saturation");
        SATURATED(2, "add.sat.f32", two, sum, FE_TONEAREST);
        SATURATED(2, "sub.rp.sat.f32", two, difference, FE_UPWARD);
        SATURATED(2, "mul.rz.sat.f32", two, product, FE_TOWARDZERO);
        SATURATED(3, "fma.rn.sat.f32", three, fused, FE_TONEAREST);
        SATURATED(3, "fma.rm.sat.f32", three, fused, FE_DOWNWARD);
        group.check("add.rn.ftz.sat.f32", two, DEVICE_2("add.rn.ftz.sat.f32", float, "=f", float, "f"),
                    [](float a, float b) { return saturated(flushed(flushed(a) + flushed(b))); });
    }
}

// ---- approximations: special values and error bounds from the PTX manual ----

/// Reports whether `got` is within `ulps` ulps of `wanted`. Special values must be equal.
bool is_near(float got, double wanted, double ulps) {
    const float nearest = static_cast<float>(wanted);
    if (nearest != nearest || got != got) return nearest != nearest && got != got;
    if (std::isinf(nearest) || nearest == 0 || std::fpclassify(nearest) == FP_SUBNORMAL) {
        return got == nearest || std::fabs(double{got} - wanted) <= ulps * 0x1p-149;
    }
    const double ulp = std::ldexp(1.0, std::max(std::ilogb(nearest), -126) - 23);
    return std::fabs(double{got} - wanted) <= ulps * ulp;
}
struct Near {
    double ulps;
    bool operator()(float got, float wanted) const { return is_near(got, double{wanted}, ulps); }
};

void test_approximations() {
    Columns<float> one = float_operands<float>(1);
    Columns<float> divisors = float_operands<float>(2), moderate(2);
    for (std::size_t i = 0; i < divisors[0].size(); ++i) {
        const float size = std::fabs(divisors[1][i]);
        if (size >= 0x1p-126f && size <= 0x1p126f) {
            const float ratio = std::fabs(divisors[0][i] / divisors[1][i]);
            if (ratio < 0x1p-125f && ratio > 0) continue;
            moderate[0].push_back(divisors[0][i]);
            moderate[1].push_back(divisors[1][i]);
        }
    }
    Group group("approximations");
    group.check("div.approx.f32", moderate, DEVICE_2("div.approx.f32", float, "=f", float, "f"),
                [](float a, float b) { return a / b; }, Near{3});
    group.check("div.full.f32", moderate, DEVICE_2("div.full.f32", float, "=f", float, "f"),
                [](float a, float b) { return a / b; }, Near{3});
    group.check("rcp.approx.ftz.f32", one, DEVICE_1("rcp.approx.ftz.f32", float, "=f", float, "f"),
                [](float a) { return flushed(1 / flushed(a)); }, Near{2});
    group.check("sqrt.approx.ftz.f32", one, DEVICE_1("sqrt.approx.ftz.f32", float, "=f", float, "f"),
                [](float a) { return std::sqrt(flushed(a)); }, Near{4});
    group.check("rsqrt.approx.ftz.f32", one, DEVICE_1("rsqrt.approx.ftz.f32", float, "=f", float, "f"),
                [](float a) { return static_cast<float>(1 / std::sqrt(double{flushed(a)})); }, Near{4});
}

/// Returns evenly spaced values in [from, to], followed by the special values.
Columns<float> over(float from, float to) {
    Columns<float> columns(1);
    constexpr int kSteps = 4000;
    for (int i = 0; i <= kSteps; ++i) columns[0].push_back(from + (to - from) * i / kSteps);
    for (const u32 bits : {0u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u}) columns[0].push_back(f32(bits));
    return columns;
}
/// Compares results within an absolute or relative tolerance.
struct Close {
    double absolute, relative;
    bool operator()(float got, float wanted) const {
        if (got != got || wanted != wanted) return got != got && wanted != wanted;
        if (std::isinf(got) || std::isinf(wanted)) return got == wanted;
        return std::fabs(double{got} - wanted) <= std::max(absolute, relative * std::fabs(double{wanted}));
    }
};
#define APPROXIMATED(TEXT, REFERENCE, OPERANDS, ABSOLUTE, RELATIVE)                       \
    group.check(TEXT, OPERANDS, DEVICE_1(TEXT, float, "=f", float, "f"),                  \
                [](float a) { return static_cast<float>(REFERENCE(double{a})); }, Close{ABSOLUTE, RELATIVE})

void test_approximated_functions() {
    constexpr float kPi = 3.14159265f;
    Group group("approximated functions");
    // The bounds are those of the manual plus half a unit, because the reference is rounded.
    APPROXIMATED("sin.approx.f32", std::sin, over(-kPi, kPi), 0x1p-20, 0);
    APPROXIMATED("cos.approx.f32", std::cos, over(-kPi, kPi), 0x1p-20, 0);
    APPROXIMATED("lg2.approx.f32", std::log2, over(0.5f, 2), 0x1p-21, 0x1p-22);
    APPROXIMATED("lg2.approx.f32", std::log2, over(2, 1e30f), 0, 0x1p-21);
    APPROXIMATED("ex2.approx.f32", std::exp2, over(-120, 127), 0, 0x1p-21);
    APPROXIMATED("ex2.approx.ftz.f32", std::exp2, over(-120, 127), 0, 0x1p-21);
    APPROXIMATED("tanh.approx.f32", std::tanh, over(-6, 6), 0, 0x1p-10);
}

// ---- min, max ----

/// Compares numbers, treating -0 as less than +0.
template <class T>
bool is_less(T a, T b) {
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}
template <class T>
T nan_of() {
    return static_cast<T>(f32(0x7fffffff));
}
template <class T>
T lesser(T a, T b) {
    if (a != a) return b != b ? nan_of<T>() : b;
    return b != b || is_less(a, b) ? a : b;
}
template <class T>
T greater(T a, T b) {
    if (a != a) return b != b ? nan_of<T>() : b;
    return b != b || is_less(b, a) ? a : b;
}
template <float (*kOther)(float, float)>
float nan_wins(float a, float b) {
    return a != a || b != b ? f32(0x7fffffff) : kOther(a, b);
}
template <float (*kOther)(float, float)>
float of_flushed(float a, float b) {
    return kOther(flushed(a), flushed(b));
}
template <float (*kOther)(float, float)>
float of_magnitudes(float a, float b) {
    const float sign = std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f;
    return std::copysign(kOther(std::fabs(a), std::fabs(b)), sign);
}

#define EXTREMUM(TEXT, HOST) \
    group.check(TEXT, two, DEVICE_2(TEXT, float, "=f", float, "f"), HOST)
#define EXTREMUM_ANY_NAN(TEXT, HOST) \
    group.check(TEXT, two, DEVICE_2(TEXT, float, "=f", float, "f"), HOST, same_number<float>)

void test_extrema() {
    {
        const auto two = float_operands<float>(2);
        Group group("min max f32");
        EXTREMUM("min.f32", lesser<float>);
        EXTREMUM("max.f32", greater<float>);
        EXTREMUM("min.ftz.f32", of_flushed<lesser<float>>);
        EXTREMUM("max.ftz.f32", of_flushed<greater<float>>);
        EXTREMUM("min.NaN.f32", nan_wins<lesser<float>>);
        EXTREMUM("max.NaN.f32", nan_wins<greater<float>>);
        EXTREMUM_ANY_NAN("min.xorsign.abs.f32", of_magnitudes<lesser<float>>);
        EXTREMUM_ANY_NAN("max.xorsign.abs.f32", of_magnitudes<greater<float>>);
        EXTREMUM_ANY_NAN("min.NaN.xorsign.abs.f32", of_magnitudes<nan_wins<lesser<float>>>);
    }
    const auto two = float_operands<double>(2);
    Group group("min max f64");
    group.check("min.f64", two, DEVICE_2("min.f64", double, "=d", double, "d"), lesser<double>,
                same_number<double>);
    group.check("max.f64", two, DEVICE_2("max.f64", double, "=d", double, "d"), greater<double>,
                same_number<double>);
}

// ---- signs and classes ----

template <class T>
T negated(T a) { return -a; }
template <class T>
T sign_of_first(T sign, T value) { return std::copysign(value, sign); }

void test_signs() {
    const auto f = float_operands<float>(1), ff = float_operands<float>(2);
    const auto d = float_operands<double>(1), dd = float_operands<double>(2);
    Group group("abs neg copysign");
    group.check("abs.f32", f, DEVICE_1("abs.f32", float, "=f", float, "f"),
                [](float a) { return std::fabs(a); }, same_number<float>);
    group.check("neg.f32", f, DEVICE_1("neg.f32", float, "=f", float, "f"), negated<float>,
                same_number<float>);
    group.check("abs.ftz.f32", f, DEVICE_1("abs.ftz.f32", float, "=f", float, "f"),
                [](float a) { return std::fabs(flushed(a)); }, same_number<float>);
    group.check("neg.ftz.f32", f, DEVICE_1("neg.ftz.f32", float, "=f", float, "f"),
                [](float a) { return -flushed(a); }, same_number<float>);
    group.check("abs.f64", d, DEVICE_1("abs.f64", double, "=d", double, "d"),
                [](double a) { return std::fabs(a); }, same_number<double>);
    group.check("neg.f64", d, DEVICE_1("neg.f64", double, "=d", double, "d"), negated<double>,
                same_number<double>);
    group.check("copysign.f32", ff, DEVICE_2("copysign.f32", float, "=f", float, "f"),
                sign_of_first<float>);
    group.check("copysign.f64", dd, DEVICE_2("copysign.f64", double, "=d", double, "d"),
                sign_of_first<double>);
}

#define TESTP(KIND, TYPE, T, R, OPERANDS, HOST)                                              \
    group.check("testp." KIND TYPE, OPERANDS,                                                \
                [] __device__(T a) {                                                         \
                    int d;                                                                   \
                    asm("{ .reg .pred p;\n\ttestp." KIND TYPE " p, %1;\n\t"                  \
                        "selp.s32 %0, 1, 0, p; }" : "=r"(d) : R(a));                         \
                    return d;                                                                \
                },                                                                           \
                [](T a) { return static_cast<int>(HOST); })
#define ALL_KINDS(TYPE, T, R, OPERANDS)                                                      \
    TESTP("finite", TYPE, T, R, OPERANDS, std::isfinite(a));                                 \
    TESTP("infinite", TYPE, T, R, OPERANDS, std::isinf(a));                                  \
    TESTP("number", TYPE, T, R, OPERANDS, a == a);                                           \
    TESTP("notanumber", TYPE, T, R, OPERANDS, a != a);                                       \
    TESTP("normal", TYPE, T, R, OPERANDS, std::isnormal(a) || a == 0); /* zero counts */ \
    TESTP("subnormal", TYPE, T, R, OPERANDS, std::fpclassify(a) == FP_SUBNORMAL)

void test_kinds() {
    Group group("testp");
    ALL_KINDS(".f32", float, "f", float_operands<float>(1));
    ALL_KINDS(".f64", double, "d", float_operands<double>(1));
}

int main() {
    test_f32();
    test_f64();
    test_modifiers();
    test_approximations();
    test_approximated_functions();
    test_extrema();
    test_signs();
    test_kinds();
}
