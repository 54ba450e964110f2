// not built by clang: sinf, expf and others are in a library of NVIDIA's toolkit
// Mathematical functions must be within the error bounds of the CUDA C++ Programming Guide.
//
// The bounds are in its appendix "Mathematical Functions": tables "Single-Precision Mathematical
// Standard Library Functions with Maximum ULP Error", "Double-Precision ..." and "Functions
// Affected by -use_fast_math" / "Single-Precision ... Intrinsic Functions". They are relative to
// the correctly rounded result. If releases of the guide differ, the wider bound is used.
// nvcc: --extended-lambda
// expect: single precision: ok
// expect: single precision of two operands: ok
// expect: double precision: ok
// expect: double precision of two operands: ok
// expect: intrinsics: ok
// expect: special values: ok
#include <cmath>

#include "device_function.h"

// ---- errors ----

/// Returns the distance of `got` from the correctly rounded value of `wanted`, in ulps.
template <class T>
struct Within {
    double ulps;
    bool operator()(T got, T wanted) const {
        if (got != got || wanted != wanted) return got != got && wanted != wanted;
        if (std::isinf(got) || std::isinf(wanted)) return got == wanted;
        constexpr int kDigits = std::numeric_limits<T>::digits;
        constexpr int kSmallest = std::numeric_limits<T>::min_exponent - 1;
        const int exponent = wanted == 0 ? kSmallest : std::max(std::ilogb(wanted), kSmallest);
        const long double ulp = std::ldexp(1.0L, exponent - kDigits + 1);
        return std::fabs(static_cast<long double>(got) - wanted) <= ulps * ulp;
    }
};

// ---- operands ----

/// Returns evenly spaced values in [from, to], and the same number of random values.
template <class T>
Columns<T> between(double from, double to) {
    Columns<T> columns(1);
    Noise noise;
    constexpr int kSteps = 3000;
    for (int i = 0; i <= kSteps; ++i) {
        columns[0].push_back(static_cast<T>(from + (to - from) * i / kSteps));
        columns[0].push_back(static_cast<T>(from + (to - from) * std::ldexp(static_cast<double>(noise.next() >> 11), -53)));
    }
    return columns;
}
/// Returns numbers of all magnitudes from 2^from to 2^to. They have both signs or are all positive.
template <class T>
Columns<T> sizes(int from, int to, bool both_signs) {
    Columns<T> columns(1);
    Noise noise;
    for (int i = 0; i < 6000; ++i) {
        const u64 bits = noise.next() >> 10;
        const double fraction = 1 + std::ldexp(static_cast<double>(bits & 0xfffffffffffff), -52);
        const int exponent = from + i % (to - from);
        const T value = static_cast<T>(std::ldexp(fraction, exponent));
        columns[0].push_back(both_signs && (bits >> 53 & 1) ? -value : value);
    }
    return columns;
}
template <class T>
Columns<T> together(const Columns<T>& a, Columns<T> b) {
    // The second operand has the same values in a different order.
    std::vector<T> shuffled;
    const std::size_t count = a[0].size();
    for (std::size_t i = 0; i < count; ++i) shuffled.push_back(b[0][i * 7919 % b[0].size()]);
    return {a[0], shuffled};
}

// ---- the tables ----

// Checks that FUNCTION is within ULPS ulps of the long double function REFERENCE for OPERANDS.
#define FUNCTION_1(T, ULPS, FUNCTION, REFERENCE, OPERANDS)                                          \
    group.check(#FUNCTION, OPERANDS, [] __device__(T x) -> T { return FUNCTION(x); },               \
                [](T x) { return static_cast<T>(REFERENCE(static_cast<long double>(x))); }, Within<T>{ULPS})
#define FUNCTION_2(T, ULPS, FUNCTION, REFERENCE, OPERANDS)                                          \
    group.check(#FUNCTION, OPERANDS, [] __device__(T x, T y) -> T { return FUNCTION(x, y); },       \
                [](T x, T y) {                                                                      \
                    return static_cast<T>(REFERENCE(static_cast<long double>(x), static_cast<long double>(y))); \
                }, Within<T>{ULPS})

long double exp10_of(long double x) { return std::pow(10.0L, x); }
/// Rounds the root only once. A conversion from a long double root would round it a second time.
long double root_of_double(long double x) { return std::sqrt(static_cast<double>(x)); }
long double reciprocal_root(long double x) { return 1 / std::sqrt(x); }

void test_single() {
    Group group("single precision");
    //         type   bound  function  reference        operands
    FUNCTION_1(float, 0, sqrtf, std::sqrt, sizes<float>(-149, 128, false));
    FUNCTION_1(float, 2, rsqrtf, reciprocal_root, sizes<float>(-126, 128, false));
    FUNCTION_1(float, 1, cbrtf, std::cbrt, sizes<float>(-126, 128, true));
    FUNCTION_1(float, 2, sinf, std::sin, between<float>(-100, 100));
    FUNCTION_1(float, 2, sinf, std::sin, sizes<float>(-60, 128, true));
    FUNCTION_1(float, 2, cosf, std::cos, between<float>(-100, 100));
    FUNCTION_1(float, 2, cosf, std::cos, sizes<float>(-60, 128, true));
    FUNCTION_1(float, 4, tanf, std::tan, between<float>(-100, 100));
    FUNCTION_1(float, 4, tanf, std::tan, sizes<float>(-60, 128, true));
    FUNCTION_1(float, 2, expf, std::exp, between<float>(-110, 90));
    FUNCTION_1(float, 2, exp2f, std::exp2, between<float>(-155, 130));
    FUNCTION_1(float, 2, exp10f, exp10_of, between<float>(-48, 39));
    FUNCTION_1(float, 1, logf, std::log, sizes<float>(-149, 128, false));
    FUNCTION_1(float, 1, logf, std::log, between<float>(0.5, 2));
    FUNCTION_1(float, 1, log2f, std::log2, sizes<float>(-149, 128, false));
    FUNCTION_1(float, 2, log10f, std::log10, sizes<float>(-149, 128, false));
    FUNCTION_1(float, 2, erff, std::erf, between<float>(-5, 5));
    FUNCTION_1(float, 4, erfcf, std::erfc, between<float>(-5, 10.5));
    FUNCTION_1(float, 2, tanhf, std::tanh, between<float>(-12, 12));
}

void test_single_of_two() {
    const auto anything = together(sizes<float>(-60, 60, true), sizes<float>(-58, 62, true));
    Group group("single precision of two operands");
    FUNCTION_2(float, 4, powf, std::pow, together(sizes<float>(-20, 20, false), between<float>(-6, 6)));
    FUNCTION_2(float, 4, powf, std::pow, together(between<float>(0.5, 2), between<float>(-120, 120)));
    FUNCTION_2(float, 3, atan2f, std::atan2, anything);
    FUNCTION_2(float, 0, fmodf, std::fmod, anything);
    FUNCTION_2(float, 3, hypotf, std::hypot, anything);
}

void test_double() {
    Group group("double precision");
    FUNCTION_1(double, 0, sqrt, root_of_double, sizes<double>(-1022, 1024, false));
    FUNCTION_1(double, 1, rsqrt, reciprocal_root, sizes<double>(-1022, 1024, false));
    FUNCTION_1(double, 1, cbrt, std::cbrt, sizes<double>(-1022, 1024, true));
    FUNCTION_1(double, 2, sin, std::sin, between<double>(-100, 100));
    FUNCTION_1(double, 2, sin, std::sin, sizes<double>(-60, 60, true));
    FUNCTION_1(double, 2, cos, std::cos, between<double>(-100, 100));
    FUNCTION_1(double, 2, cos, std::cos, sizes<double>(-60, 60, true));
    FUNCTION_1(double, 2, tan, std::tan, between<double>(-100, 100));
    FUNCTION_1(double, 1, exp, std::exp, between<double>(-750, 710));
    FUNCTION_1(double, 1, log, std::log, sizes<double>(-1022, 1024, false));
    FUNCTION_1(double, 1, log, std::log, between<double>(0.5, 2));
    FUNCTION_1(double, 2, erf, std::erf, between<double>(-7, 7));
    FUNCTION_1(double, 5, erfc, std::erfc, between<double>(-7, 27));
    FUNCTION_1(double, 2, tanh, std::tanh, between<double>(-22, 22));
    // Exclude (-11.001, -2.2637), as the guide does, because the error is larger there.
    FUNCTION_1(double, 4, lgamma, std::lgamma, between<double>(-2, 50));
    FUNCTION_1(double, 4, lgamma, std::lgamma, sizes<double>(-60, 200, false));
}

void test_double_of_two() {
    const auto anything = together(sizes<double>(-60, 60, true), sizes<double>(-58, 62, true));
    Group group("double precision of two operands");
    FUNCTION_2(double, 2, pow, std::pow, together(sizes<double>(-20, 20, false), between<double>(-40, 40)));
    FUNCTION_2(double, 2, atan2, std::atan2, anything);
    FUNCTION_2(double, 0, fmod, std::fmod, anything);
    FUNCTION_2(double, 2, hypot, std::hypot, anything);
}

// ---- intrinsics whose error bound depends on the operand and is part of the reference ----

struct Bounded {
    double exact, allowed;
};
/// Reports whether the device's result is within the bound `wanted.allowed`.
bool is_within(const Bounded& got, const Bounded& wanted) {
    if (wanted.exact != wanted.exact) return got.exact != got.exact;
    return std::fabs(got.exact - wanted.exact) <= wanted.allowed;
}
double ulp_of(double value) {
    return std::ldexp(1.0, std::max(std::ilogb(value), -126) - 23);
}
#define INTRINSIC_1(FUNCTION, REFERENCE, ALLOWED, OPERANDS)                                         \
    group.check(#FUNCTION, OPERANDS, [] __device__(float x) { return Bounded{FUNCTION(x), 0}; },    \
                [](float x) {                                                                       \
                    const double y = REFERENCE(static_cast<double>(x));                             \
                    return Bounded{y, ALLOWED};                                                     \
                }, is_within)
#define INTRINSIC_2(FUNCTION, REFERENCE, ALLOWED, OPERANDS)                                         \
    group.check(#FUNCTION, OPERANDS,                                                                \
                [] __device__(float a, float b) { return Bounded{FUNCTION(a, b), 0}; },             \
                [](float a, float b) {                                                              \
                    const double y = REFERENCE(static_cast<double>(a), static_cast<double>(b));     \
                    return Bounded{y, ALLOWED};                                                     \
                }, is_within)

void test_intrinsics() {
    constexpr double kPi = 3.14159265358979;
    // Allow half a unit more, because the guide measures errors from the correctly rounded result.
    const auto ordinary = together(sizes<float>(-60, 60, true), sizes<float>(-58, 62, true));
    const auto powers = together(between<float>(2.5, 8), between<float>(-20, 20));
    Group group("intrinsics");
    INTRINSIC_1(__sinf, std::sin, 0x1p-21 * std::exp2(-0.41) + ulp_of(y) / 2, between<float>(-kPi, kPi));
    INTRINSIC_1(__cosf, std::cos, 0x1p-21 * std::exp2(-0.19) + ulp_of(y) / 2, between<float>(-kPi, kPi));
    INTRINSIC_1(__expf, std::exp, (2.5 + std::floor(std::fabs(1.173 * x))) * ulp_of(y), between<float>(-86, 88));
    INTRINSIC_1(__logf, std::log, 0x1p-21 * std::exp2(-0.41) + ulp_of(y) / 2, between<float>(0.5, 2));
    INTRINSIC_1(__logf, std::log, 3.5 * ulp_of(y), sizes<float>(1, 128, false));
    INTRINSIC_1(__logf, std::log, 3.5 * ulp_of(y), sizes<float>(-126, -1, false));
    INTRINSIC_1(__log2f, std::log2, 2.5 * ulp_of(y), sizes<float>(1, 128, false));
    // __powf is exp2f(y * __log2f(x)). Each of its three steps may add an error.
    INTRINSIC_2(__powf, std::pow, (4 + 4 * std::fabs(b * std::log2(a))) * ulp_of(y), powers);
    INTRINSIC_2(__fdividef, [](double p, double q) { return p / q; }, 2.5 * ulp_of(y), ordinary);
}

// ---- special values: exact ----

#define SPECIAL(FUNCTION, OPERAND, WANTED)                                                          \
    group.check(#FUNCTION, Columns<float>{{OPERAND}}, [] __device__(float x) -> float { return FUNCTION(x); }, \
                [](float) -> float { return WANTED; }, same_number<float>)

void test_special_values() {
    constexpr float kInfinity = INFINITY;
    Group group("special values");
    SPECIAL(sinf, -0.0f, -0.0f);
    SPECIAL(sinf, kInfinity, NAN);
    SPECIAL(cosf, 0.0f, 1.0f);
    SPECIAL(cosf, -kInfinity, NAN);
    SPECIAL(expf, -kInfinity, 0.0f);
    SPECIAL(expf, kInfinity, INFINITY);
    SPECIAL(expf, 100.0f, INFINITY);
    SPECIAL(logf, 0.0f, -INFINITY);
    SPECIAL(logf, -1.0f, NAN);
    SPECIAL(logf, 1.0f, 0.0f);
    SPECIAL(sqrtf, -0.0f, -0.0f);
    SPECIAL(sqrtf, -1.0f, NAN);
    SPECIAL(rsqrtf, 0.0f, INFINITY);
    SPECIAL(tanhf, kInfinity, 1.0f);
    SPECIAL(tanhf, -0.0f, -0.0f);
    SPECIAL(erff, -kInfinity, -1.0f);
    SPECIAL(cbrtf, -8.0f, -2.0f);
    SPECIAL(exp2f, -149.0f, 0x1p-149f);
    SPECIAL(exp2f, 10.0f, 1024.0f);
    SPECIAL(log2f, 0x1p-149f, -149.0f);
}

int main() {
    test_single();
    test_single_of_two();
    test_double();
    test_double_of_two();
    test_intrinsics();
    test_special_values();
}
