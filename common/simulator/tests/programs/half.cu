// not built by clang: cuda_bf16.h is part of NVIDIA's toolkit
// Tests f16 and bf16 arithmetic, single and in pairs. The host computes in double, and rounds once.
//
// 2^x and tanh must be within the error bounds of the PTX manual. For abs and neg, any NaN passes,
// because the manual does not specify one.
// nvcc: --extended-lambda -Xcompiler -frounding-math
// expect: f16 add sub mul: ok
// expect: f16 fma: ok
// expect: f16 min max abs neg: ok
// expect: f16 comparisons: ok
// expect: bf16 add sub mul: ok
// expect: bf16 fma: ok
// expect: bf16 min max abs neg: ok
// expect: bf16 comparisons: ok
// expect: f16x2: ok
// expect: bf16x2: ok
// expect: 2^x and tanh: ok
// expect: functions of cuda_fp16.h: ok
// expect: functions of cuda_bf16.h: ok
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "small_floats.h"

// ---- operands ----

std::vector<u16> edges_of(const SmallFormat& f) {
    const u32 one = round_to(f, 1);
    std::vector<u16> edges;
    for (u32 bits : {0u, 1u, 2u, (1u << f.fraction_bits) - 1, 1u << f.fraction_bits, (1u << f.fraction_bits) + 1,
                     round_to(f, 0x1p-12), round_to(f, 0.5), one - 1, one, one + 1, round_to(f, 1.5),
                     round_to(f, 3), round_to(f, 100), f.largest() / 2, f.largest() - 1, f.largest(),
                     f.infinity(), f.infinity() + 1, f.nan()}) {
        edges.push_back(bits);
        edges.push_back(bits | f.sign());
    }
    return edges;
}
Columns<u16> operands(const SmallFormat& f, int count) {
    auto edges = edges_of(f);
    if (count == 3) edges.resize(24);
    return choices<u16>(count, edges, 30000, [&f](Noise& noise) {
        const u64 bits = noise.next() >> 24;
        const u32 one = round_to(f, 1);
        // Every other number is near 1, so that sums are rounded.
        const u32 near_1 = one - 4 * (1u << f.fraction_bits) + (bits >> 4) % (8u << f.fraction_bits);
        return static_cast<u16>(bits & 1 ? bits >> 8 : near_1 | (bits & 2 ? f.sign() : 0));
    });
}
Columns<u16> all_values() {
    Columns<u16> columns(1);
    for (u32 bits = 0; bits < 0x10000; ++bits) columns[0].push_back(bits);
    return columns;
}
/// Packs adjacent elements of a column of halves into pairs.
Columns<u32> in_pairs(const Columns<u16>& halves) {
    Columns<u32> pairs(halves.size());
    for (std::size_t k = 0; k < halves.size(); ++k) {
        const std::size_t count = halves[k].size();
        for (std::size_t i = 0; i < count; ++i)
            pairs[k].push_back(halves[k][i] | u32{halves[k][(i + 7) % count]} << 16);
    }
    return pairs;
}

// ---- expected results: functions of the bits for each format F ----

template <const SmallFormat& F>
struct Host {
    static double number(u16 bits) { return value_of(F, bits); }
    static u16 rounded(double value) { return static_cast<u16>(round_to(F, value)); }

    static u16 add(u16 a, u16 b) { return rounded(to_odd([=] { return number(a) + number(b); })); }
    static u16 sub(u16 a, u16 b) { return rounded(to_odd([=] { return number(a) - number(b); })); }
    static u16 mul(u16 a, u16 b) { return rounded(number(a) * number(b)); }
    /// Flushes tiny products, which must be tested before they are rounded.
    static u16 mul_ftz(u16 a, u16 b) {
        const double exact = number(ftz(a)) * number(ftz(b));
        const bool is_tiny = std::fabs(exact) < std::ldexp(1, 1 - F.bias());
        return rounded(is_tiny ? std::copysign(0.0, exact) : exact);
    }
    static u16 fma(u16 a, u16 b, u16 c) {
        const double product = number(a) * number(b);  // exact in double
        return rounded(to_odd([=] { return product + number(c); }));
    }
    static u16 abs(u16 a) { return a & ~F.sign(); }
    static u16 neg(u16 a) { return a ^ F.sign(); }
    static u16 min(u16 a, u16 b) { return extremum(a, b, false); }
    static u16 max(u16 a, u16 b) { return extremum(a, b, true); }
    static u16 min_nan(u16 a, u16 b) { return nan_wins(a, b, min(a, b)); }
    static u16 max_nan(u16 a, u16 b) { return nan_wins(a, b, max(a, b)); }
    static u16 relu(u16 a) { return !is_nan(F, a) && (a & F.sign()) ? 0 : a; }
    static u16 sat(u16 a) {
        const double value = number(a);
        return !(value > 0) ? 0 : value < 1 ? a : rounded(1);
    }
    static u16 ftz(u16 a) { return std::fabs(number(a)) < std::ldexp(1, 1 - F.bias()) ? a & F.sign() : a; }

    static bool good(const u16& got, const u16& wanted) {
        return got == wanted || (is_nan(F, got) && is_nan(F, wanted));
    }

private:
    static u16 extremum(u16 a, u16 b, bool maximum) {
        if (is_nan(F, a)) return is_nan(F, b) ? F.nan() : b;
        if (is_nan(F, b)) return a;
        // Map the bits to positions in a total order, in which -0 precedes +0.
        const auto place = [](u16 x) { return x & 0x8000 ? -1 - (x & 0x7fff) : int{x}; };
        return (place(a) < place(b)) != maximum ? a : b;
    }
    static u16 nan_wins(u16 a, u16 b, u16 other) {
        return is_nan(F, a) || is_nan(F, b) ? F.nan() : other;
    }
};
constexpr SmallFormat kF16 = kHalf, kBF16 = kBrain;
using H = Host<kF16>;
using B = Host<kBF16>;

#define CHECK(N, TEXT, OPERANDS, HOST) \
    group.check(TEXT, OPERANDS, DEVICE_##N(TEXT, u16, "=h", u16, "h"), HOST)
#define CHECK_ANY_NAN(N, TEXT, OPERANDS, HOST, GOOD) \
    group.check(TEXT, OPERANDS, DEVICE_##N(TEXT, u16, "=h", u16, "h"), HOST, GOOD)

// ---- comparisons ----

#define SETP(COMPARE, TYPE, HOST, CONDITION)                                                       \
    group.check("setp." COMPARE TYPE, two,                                                         \
                [] __device__(u16 a, u16 b) {                                                      \
                    int d;                                                                         \
                    asm("{ .reg .pred p;\n\tsetp." COMPARE TYPE " p, %1, %2;\n\t"                  \
                        "selp.s32 %0, 1, 0, p; }" : "=r"(d) : "h"(a), "h"(b));                     \
                    return d;                                                                      \
                },                                                                                 \
                [](u16 p, u16 q) {                                                                 \
                    const double a = HOST::number(p), b = HOST::number(q);                         \
                    [[maybe_unused]] const bool unordered = a != a || b != b;                      \
                    return static_cast<int>(CONDITION);                                            \
                })
#define ALL_COMPARISONS(TYPE, HOST)                       \
    SETP("eq", TYPE, HOST, a == b);                       \
    SETP("ne", TYPE, HOST, a < b || a > b);               \
    SETP("lt", TYPE, HOST, a < b);                        \
    SETP("le", TYPE, HOST, a <= b);                       \
    SETP("gt", TYPE, HOST, a > b);                        \
    SETP("ge", TYPE, HOST, a >= b);                       \
    SETP("equ", TYPE, HOST, a == b || unordered);         \
    SETP("neu", TYPE, HOST, a != b);                      \
    SETP("ltu", TYPE, HOST, a < b || unordered);          \
    SETP("leu", TYPE, HOST, a <= b || unordered);         \
    SETP("gtu", TYPE, HOST, a > b || unordered);          \
    SETP("geu", TYPE, HOST, a >= b || unordered);         \
    SETP("num", TYPE, HOST, !unordered);                  \
    SETP("nan", TYPE, HOST, unordered)

// ---- single values ----

void test_f16() {
    const auto one = all_values(), two = operands(kF16, 2), three = operands(kF16, 3);
    {
        Group group("f16 add sub mul");
        CHECK(2, "add.f16", two, H::add);
        CHECK(2, "sub.rn.f16", two, H::sub);
        CHECK(2, "mul.f16", two, H::mul);
        CHECK(2, "add.sat.f16", two, [](u16 a, u16 b) { return H::sat(H::add(a, b)); });
        CHECK(2, "mul.sat.f16", two, [](u16 a, u16 b) { return H::sat(H::mul(a, b)); });
        CHECK(2, "add.ftz.f16", two, [](u16 a, u16 b) { return H::ftz(H::add(H::ftz(a), H::ftz(b))); });
        CHECK(2, "mul.ftz.f16", two, H::mul_ftz);
    }
    {
        Group group("f16 fma");
        CHECK(3, "fma.rn.f16", three, H::fma);
        CHECK(3, "fma.rn.sat.f16", three, [](u16 a, u16 b, u16 c) { return H::sat(H::fma(a, b, c)); });
        CHECK(3, "fma.rn.relu.f16", three, [](u16 a, u16 b, u16 c) { return H::relu(H::fma(a, b, c)); });
    }
    {
        Group group("f16 min max abs neg");
        CHECK(2, "min.f16", two, H::min);
        CHECK(2, "max.f16", two, H::max);
        CHECK(2, "min.NaN.f16", two, H::min_nan);
        CHECK(2, "max.NaN.f16", two, H::max_nan);
        CHECK_ANY_NAN(1, "abs.f16", one, H::abs, H::good);
        CHECK_ANY_NAN(1, "neg.f16", one, H::neg, H::good);
    }
    Group group("f16 comparisons");
    ALL_COMPARISONS(".f16", H);
    group.check("set.lt.f16.f16", two, DEVICE_2("set.lt.f16.f16", u16, "=h", u16, "h"),
                [](u16 a, u16 b) { return H::rounded(H::number(a) < H::number(b)); });
    group.check("set.geu.u32.f16", two, DEVICE_2("set.geu.u32.f16", u32, "=r", u16, "h"),
                [](u16 a, u16 b) { return H::number(a) < H::number(b) ? 0u : ~0u; });
}

void test_bf16() {
    const auto one = all_values(), two = operands(kBF16, 2), three = operands(kBF16, 3);
    {
        Group group("bf16 add sub mul");
        CHECK(2, "add.rn.bf16", two, B::add);
        CHECK(2, "sub.bf16", two, B::sub);
        CHECK(2, "mul.bf16", two, B::mul);
    }
    {
        Group group("bf16 fma");
        CHECK(3, "fma.rn.bf16", three, B::fma);
        CHECK(3, "fma.rn.relu.bf16", three, [](u16 a, u16 b, u16 c) { return B::relu(B::fma(a, b, c)); });
    }
    {
        Group group("bf16 min max abs neg");
        CHECK(2, "min.bf16", two, B::min);
        CHECK(2, "max.bf16", two, B::max);
        CHECK(2, "min.NaN.bf16", two, B::min_nan);
        CHECK(2, "max.NaN.bf16", two, B::max_nan);
        CHECK_ANY_NAN(1, "abs.bf16", one, B::abs, B::good);
        CHECK_ANY_NAN(1, "neg.bf16", one, B::neg, B::good);
    }
    Group group("bf16 comparisons");
    ALL_COMPARISONS(".bf16", B);
    group.check("set.gt.bf16.bf16", two, DEVICE_2("set.gt.bf16.bf16", u16, "=h", u16, "h"),
                [](u16 a, u16 b) { return B::rounded(B::number(a) > B::number(b)); });
}

// ---- pairs: the same operation on both halves ----

template <u16 (*kHost)(u16, u16)>
u32 both(u32 a, u32 b) {
    return kHost(static_cast<u16>(a), static_cast<u16>(b)) | u32{kHost(a >> 16, b >> 16)} << 16;
}
template <u16 (*kHost)(u16, u16, u16)>
u32 both(u32 a, u32 b, u32 c) {
    return kHost(static_cast<u16>(a), static_cast<u16>(b), static_cast<u16>(c)) |
           u32{kHost(a >> 16, b >> 16, c >> 16)} << 16;
}
#define CHECK_PAIR(N, TEXT, OPERANDS, HOST) \
    group.check(TEXT, OPERANDS, DEVICE_##N(TEXT, u32, "=r", u32, "r"), both<HOST>)

// Compares both halves of a pair. Bit 0 is the lower half's result, and bit 1 the upper half's.
#define SETP_PAIR(TYPE, HOST)                                                                      \
    group.check("setp.lt" TYPE, two,                                                               \
                [] __device__(u32 a, u32 b) {                                                      \
                    int lower, upper;                                                              \
                    asm("{ .reg .pred p, q;\n\tsetp.lt" TYPE " p|q, %2, %3;\n\t"                   \
                        "selp.s32 %0, 1, 0, p;\n\tselp.s32 %1, 2, 0, q; }"                         \
                        : "=r"(lower), "=r"(upper) : "r"(a), "r"(b));                              \
                    return lower + upper;                                                          \
                },                                                                                 \
                [](u32 a, u32 b) {                                                                 \
                    const auto less = [](u16 x, u16 y) { return HOST::number(x) < HOST::number(y); }; \
                    return less(static_cast<u16>(a), static_cast<u16>(b)) + 2 * less(a >> 16, b >> 16); \
                })

void test_pairs() {
    {
        const auto two = in_pairs(operands(kF16, 2)), three = in_pairs(operands(kF16, 3));
        Group group("f16x2");
        CHECK_PAIR(2, "add.f16x2", two, H::add);
        CHECK_PAIR(2, "sub.f16x2", two, H::sub);
        CHECK_PAIR(2, "mul.f16x2", two, H::mul);
        CHECK_PAIR(3, "fma.rn.f16x2", three, H::fma);
        CHECK_PAIR(2, "min.f16x2", two, H::min);
        CHECK_PAIR(2, "max.NaN.f16x2", two, H::max_nan);
        SETP_PAIR(".f16x2", H);
        group.check("set.eq.f16x2.f16x2", two, DEVICE_2("set.eq.f16x2.f16x2", u32, "=r", u32, "r"),
                    [](u32 a, u32 b) {
                        const auto equal = [](u16 x, u16 y) -> u32 { return H::number(x) == H::number(y) ? 0x3c00 : 0; };
                        return equal(static_cast<u16>(a), static_cast<u16>(b)) | equal(a >> 16, b >> 16) << 16;
                    });
    }
    const auto two = in_pairs(operands(kBF16, 2)), three = in_pairs(operands(kBF16, 3));
    Group group("bf16x2");
    CHECK_PAIR(2, "add.rn.bf16x2", two, B::add);
    CHECK_PAIR(2, "sub.bf16x2", two, B::sub);
    CHECK_PAIR(2, "mul.bf16x2", two, B::mul);
    CHECK_PAIR(3, "fma.rn.bf16x2", three, B::fma);
    CHECK_PAIR(2, "max.bf16x2", two, B::max);
    CHECK_PAIR(2, "min.NaN.bf16x2", two, B::min_nan);
    SETP_PAIR(".bf16x2", B);
}

// ---- approximations ----

/// Accepts a relative error, plus half a unit in the last place for subnormals.
template <const SmallFormat& F>
struct Relative {
    double bound;
    bool operator()(u16 got, u16 wanted) const {
        const double a = value_of(F, got), b = value_of(F, wanted);
        if (a != a || b != b || std::isinf(b)) return got == wanted;
        const double last_place = std::ldexp(1, 1 - F.bias() - F.fraction_bits);
        // Add half a unit in the last place, because `wanted` itself is rounded.
        return std::fabs(a - b) <= std::fabs(b) * (bound + std::ldexp(1, -F.fraction_bits - 1)) + last_place;
    }
};
template <const SmallFormat& F>
struct Absolute {
    double bound;
    bool operator()(u16 got, u16 wanted) const {
        const double a = value_of(F, got), b = value_of(F, wanted);
        if (a != a || b != b) return got == wanted;
        return std::fabs(a - b) <= bound + std::ldexp(std::fabs(b), -F.fraction_bits - 1);
    }
};

void test_approximations() {
    const auto one = all_values();
    Group group("2^x and tanh");
    CHECK_ANY_NAN(1, "ex2.approx.f16", one, [](u16 a) { return H::rounded(std::exp2(H::number(a))); },
                  Relative<kF16>{std::exp2(-9.9)});
    CHECK_ANY_NAN(1, "tanh.approx.f16", one, [](u16 a) { return H::rounded(std::tanh(H::number(a))); },
                  Absolute<kF16>{std::exp2(-10.987)});
    CHECK_ANY_NAN(1, "ex2.approx.ftz.bf16", one,
                  [](u16 a) { return B::ftz(B::rounded(std::exp2(B::number(B::ftz(a))))); },
                  Relative<kBF16>{std::exp2(-7)});
    CHECK_ANY_NAN(1, "tanh.approx.bf16", one, [](u16 a) { return B::rounded(std::tanh(B::number(a))); },
                  Absolute<kBF16>{std::exp2(-8)});
}

// ---- functions of the CUDA headers ----

void test_headers() {
    {
        const auto two = operands(kF16, 2);
        const auto three = in_pairs(operands(kF16, 3));
        Group group("functions of cuda_fp16.h");
        group.check("a * b", two,
                    [] __device__(u16 a, u16 b) {
                        return __half_as_ushort(__ushort_as_half(a) * __ushort_as_half(b));
                    }, H::mul);
        group.check("__hadd_sat", two,
                    [] __device__(u16 a, u16 b) {
                        return __half_as_ushort(__hadd_sat(__ushort_as_half(a), __ushort_as_half(b)));
                    }, [](u16 a, u16 b) { return H::sat(H::add(a, b)); });
        group.check("__hlt", two,
                    [] __device__(u16 a, u16 b) -> int { return __hlt(__ushort_as_half(a), __ushort_as_half(b)); },
                    [](u16 a, u16 b) -> int { return H::number(a) < H::number(b); });
        group.check("__hfma2", three,
                    [] __device__(u32 a, u32 b, u32 c) {
                        const __half2 d = __hfma2(reinterpret_cast<__half2&>(a), reinterpret_cast<__half2&>(b),
                                                  reinterpret_cast<__half2&>(c));
                        return reinterpret_cast<const u32&>(d);
                    }, both<H::fma>);
        group.check("__hmax", two,
                    [] __device__(u16 a, u16 b) {
                        return __half_as_ushort(__hmax(__ushort_as_half(a), __ushort_as_half(b)));
                    }, H::max);
    }
    const auto two = operands(kBF16, 2);
    const auto three = operands(kBF16, 3);
    Group group("functions of cuda_bf16.h");
    group.check("a + b", two,
                [] __device__(u16 a, u16 b) {
                    return __bfloat16_as_ushort(__ushort_as_bfloat16(a) + __ushort_as_bfloat16(b));
                }, B::add);
    group.check("__hfma", three,
                [] __device__(u16 a, u16 b, u16 c) {
                    return __bfloat16_as_ushort(__hfma(__ushort_as_bfloat16(a), __ushort_as_bfloat16(b),
                                                       __ushort_as_bfloat16(c)));
                }, B::fma);
    group.check("__hmin_nan", two,
                [] __device__(u16 a, u16 b) {
                    return __bfloat16_as_ushort(__hmin_nan(__ushort_as_bfloat16(a), __ushort_as_bfloat16(b)));
                }, B::min_nan);
}

int main() {
    test_f16();
    test_bf16();
    test_pairs();
    test_approximations();
    test_headers();
}
