// only with --all: instructions in inline PTX, which every compiler passes on unchanged
// Tests cvt between integers and floats of every size, in every rounding mode, and with saturation.
// nvcc: --extended-lambda -Xcompiler -frounding-math
// expect: integer to integer: ok
// expect: integer to integer, clamped: ok
// expect: f32 to integer: ok
// expect: f64 to integer: ok
// expect: f16 to integer: ok
// expect: integer to f32 and f64: ok
// expect: integer to f16 and bf16: ok
// expect: f64 to f32 and back: ok
// expect: to whole numbers: ok
// expect: f32 to f16 and bf16: ok
// expect: f32 to pairs: ok
// expect: f16 and bf16 to f32: ok
// expect: tf32: ok
// expect: e4m3 and e5m2: ok
// expect: packed integers: ok
#include "small_floats.h"

constexpr SmallFormat kF16 = kHalf, kBF16 = kBrain;

// ---- operands ----

template <class T>
Columns<T> integers() {
    std::vector<T> edges;
    for (int shift = 0; shift < 64; ++shift)
        for (i64 offset : {-1, 0, 1})
            for (int sign : {-1, 1})
                edges.push_back(static_cast<T>(static_cast<u64>(sign) * ((u64{1} << shift) + offset)));
    return choices<T>(1, edges, 3000, [](Noise& noise) {
        return static_cast<T>(static_cast<i64>(noise.next()) >> (noise.next() >> 58));
    });
}
/// Returns test values: floats near the powers of two that bound integer types, and halves.
template <class T>
Columns<T> floats() {
    Columns<T> columns = float_operands<T>(1);
    for (int power : {7, 8, 15, 16, 31, 32, 63, 64})
        for (T sign : {T{-1}, T{1}})
            for (T offset : {T{-1}, T{-0.5}, T{0}, T{0.5}, T{1}}) {
                const T value = std::ldexp(T{1}, power) + offset;
                for (T x : {value, std::nextafter(value, T{0}), value * 2}) columns[0].push_back(sign * x);
            }
    Noise noise;
    for (int i = 0; i < 3000; ++i) {
        const T size = std::ldexp(T{1}, static_cast<int>(noise.next() >> 30) % 70 - 3);
        columns[0].push_back(static_cast<T>(static_cast<i32>(noise.next() >> 20)) * T(0x1p-31) * size);
        columns[0].push_back(static_cast<T>(static_cast<i32>(noise.next() >> 20) % 64) / 4);
    }
    return columns;
}
Columns<u16> all_16_bits() {
    Columns<u16> columns(1);
    for (u32 bits = 0; bits < 0x10000; ++bits) columns[0].push_back(bits);
    return columns;
}

// ---- between integers ----

template <class D, class A>
D clamped(A a) {
    const __int128 lowest = std::numeric_limits<D>::min(), highest = std::numeric_limits<D>::max();
    const __int128 wide = a;
    return static_cast<D>(wide < lowest ? lowest : wide > highest ? highest : wide);
}

// The result is sign-extended or zero-extended to the width of its register.
#define INTEGERS(D_TYPE, D, W, DR, A_TYPE, A, AR)                                                \
    group.check("cvt." D_TYPE "." A_TYPE, integers<A>(),                                         \
                DEVICE_1("cvt." D_TYPE "." A_TYPE, W, "=" DR, A, AR),                            \
                [](A a) { return static_cast<W>(static_cast<D>(a)); })
#define FROM_ALL(D_TYPE, D, W, DR)                    \
    INTEGERS(D_TYPE, D, W, DR, "s16", i16, "h");      \
    INTEGERS(D_TYPE, D, W, DR, "u16", u16, "h");      \
    INTEGERS(D_TYPE, D, W, DR, "s32", i32, "r");      \
    INTEGERS(D_TYPE, D, W, DR, "u32", u32, "r");      \
    INTEGERS(D_TYPE, D, W, DR, "s64", i64, "l");      \
    INTEGERS(D_TYPE, D, W, DR, "u64", u64, "l")
#define CLAMPED(D_TYPE, D, W, DR, A_TYPE, A, AR)                                                 \
    group.check("cvt.sat." D_TYPE "." A_TYPE, integers<A>(),                                     \
                DEVICE_1("cvt.sat." D_TYPE "." A_TYPE, W, "=" DR, A, AR),                        \
                [](A a) { return static_cast<W>(clamped<D>(a)); })

void test_integers() {
    {
        Group group("integer to integer");
        FROM_ALL("s8", i8, i32, "r");
        FROM_ALL("u8", u8, u32, "r");
        FROM_ALL("s8", i8, i16, "h");
        FROM_ALL("s16", i16, i16, "h");
        FROM_ALL("u16", u16, u16, "h");
        FROM_ALL("s32", i32, i32, "r");
        FROM_ALL("u32", u32, u32, "r");
        FROM_ALL("s64", i64, i64, "l");
        FROM_ALL("u64", u64, u64, "l");
        group.check("cvt.s32.s8", integers<i32>(), DEVICE_1("cvt.s32.s8", i32, "=r", i32, "r"),
                    [](i32 a) { return i32{static_cast<i8>(a)}; });
        group.check("cvt.u64.u8", integers<i32>(), DEVICE_1("cvt.u64.u8", u64, "=l", i32, "r"),
                    [](i32 a) { return u64{static_cast<u8>(a)}; });
    }
    Group group("integer to integer, clamped");
    CLAMPED("s8", i8, i32, "r", "s32", i32, "r");
    CLAMPED("u8", u8, u32, "r", "s32", i32, "r");
    CLAMPED("u8", u8, u32, "r", "u64", u64, "l");
    CLAMPED("s16", i16, i16, "h", "s32", i32, "r");
    CLAMPED("u16", u16, u16, "h", "s32", i32, "r");
    CLAMPED("s16", i16, i16, "h", "u32", u32, "r");
    CLAMPED("s32", i32, i32, "r", "u32", u32, "r");
    CLAMPED("u32", u32, u32, "r", "s32", i32, "r");
    CLAMPED("s32", i32, i32, "r", "s64", i64, "l");
    CLAMPED("u32", u32, u32, "r", "s64", i64, "l");
    CLAMPED("s64", i64, i64, "l", "u64", u64, "l");
    CLAMPED("u64", u64, u64, "l", "s64", i64, "l");
}

// ---- float to integer ----

template <class T>
T whole(T value, Towards towards) {
    return static_cast<T>(std::copysign(to_whole(std::fabs(double{value}), towards, std::signbit(value)), value));
}
/// Out-of-range values saturate. A NaN becomes 0, or the highest bit if either type has 64 bits.
template <class D>
D to_integer(double value, Towards towards, bool is_f64 = false) {
    const bool wide = is_f64 || sizeof(D) == 8;
    if (value != value) return wide ? static_cast<D>(u64{1} << (8 * sizeof(D) - 1)) : D{0};
    const double rounded = whole(value, towards);
    const double beyond = std::ldexp(1.0, std::numeric_limits<D>::digits);
    if (rounded >= beyond) return std::numeric_limits<D>::max();
    if (rounded < static_cast<double>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
    return static_cast<D>(rounded);
}
#define TO_INTEGER(M, TOWARDS, D_TYPE, D, W, DR, A_TYPE, A, AR, OPERANDS, VALUE)                    \
    group.check("cvt." M "." D_TYPE "." A_TYPE, OPERANDS,                                           \
                DEVICE_1("cvt." M "." D_TYPE "." A_TYPE, W, "=" DR, A, AR),                         \
                [](A a) { return static_cast<W>(to_integer<D>(VALUE, Towards::TOWARDS, sizeof(A) == 8)); })
#define TO_INTEGER_ALL_ROUNDINGS(D_TYPE, D, W, DR, A_TYPE, A, AR, OPERANDS, VALUE)              \
    TO_INTEGER("rni", nearest, D_TYPE, D, W, DR, A_TYPE, A, AR, OPERANDS, VALUE);               \
    TO_INTEGER("rzi", zero, D_TYPE, D, W, DR, A_TYPE, A, AR, OPERANDS, VALUE);                  \
    TO_INTEGER("rmi", down, D_TYPE, D, W, DR, A_TYPE, A, AR, OPERANDS, VALUE);                  \
    TO_INTEGER("rpi", up, D_TYPE, D, W, DR, A_TYPE, A, AR, OPERANDS, VALUE)
#define TO_ALL_INTEGERS(A_TYPE, A, AR, OPERANDS, VALUE)                                   \
    TO_INTEGER_ALL_ROUNDINGS("s16", i16, i16, "h", A_TYPE, A, AR, OPERANDS, VALUE);       \
    TO_INTEGER_ALL_ROUNDINGS("u16", u16, u16, "h", A_TYPE, A, AR, OPERANDS, VALUE);       \
    TO_INTEGER_ALL_ROUNDINGS("s32", i32, i32, "r", A_TYPE, A, AR, OPERANDS, VALUE);       \
    TO_INTEGER_ALL_ROUNDINGS("u32", u32, u32, "r", A_TYPE, A, AR, OPERANDS, VALUE);       \
    TO_INTEGER_ALL_ROUNDINGS("s64", i64, i64, "l", A_TYPE, A, AR, OPERANDS, VALUE);       \
    TO_INTEGER_ALL_ROUNDINGS("u64", u64, u64, "l", A_TYPE, A, AR, OPERANDS, VALUE)

void test_floats_to_integers() {
    const auto f = floats<float>();
    const auto d = floats<double>();
    const auto h = all_16_bits();
    {
        Group group("f32 to integer");
        TO_ALL_INTEGERS("f32", float, "f", f, a);
        TO_INTEGER_ALL_ROUNDINGS("s8", i8, i32, "r", "f32", float, "f", f, a);
        TO_INTEGER_ALL_ROUNDINGS("u8", u8, u32, "r", "f32", float, "f", f, a);
        group.check("cvt.rpi.ftz.s32.f32", f, DEVICE_1("cvt.rpi.ftz.s32.f32", i32, "=r", float, "f"),
                    [](float a) {
                        return to_integer<i32>(std::fpclassify(a) == FP_SUBNORMAL ? 0 : a, Towards::up);
                    });
    }
    {
        Group group("f64 to integer");
        TO_ALL_INTEGERS("f64", double, "d", d, a);
    }
    Group group("f16 to integer");
    TO_ALL_INTEGERS("f16", u16, "h", h, value_of(kF16, a));
}

// ---- integer to float ----

template <class D, class A>
D in_direction(A value, int direction) {
    volatile A from = value;
    std::fesetround(direction);
    volatile D result = static_cast<D>(from);
    std::fesetround(FE_TONEAREST);
    const D answer = result;
    return answer != answer && sizeof(D) == 4 ? static_cast<D>(f32(0x7fffffff)) : answer;
}
#define RESIZED(M, FE, D_TYPE, D, DR, A_TYPE, A, AR, OPERANDS)                   \
    group.check("cvt." M "." D_TYPE "." A_TYPE, OPERANDS,                        \
                DEVICE_1("cvt." M "." D_TYPE "." A_TYPE, D, "=" DR, A, AR),      \
                [](A a) { return in_direction<D>(a, FE); }, same_number<D>)
#define RESIZED_ALL_ROUNDINGS(D_TYPE, D, DR, A_TYPE, A, AR, OPERANDS)            \
    RESIZED("rn", FE_TONEAREST, D_TYPE, D, DR, A_TYPE, A, AR, OPERANDS);         \
    RESIZED("rz", FE_TOWARDZERO, D_TYPE, D, DR, A_TYPE, A, AR, OPERANDS);        \
    RESIZED("rm", FE_DOWNWARD, D_TYPE, D, DR, A_TYPE, A, AR, OPERANDS);          \
    RESIZED("rp", FE_UPWARD, D_TYPE, D, DR, A_TYPE, A, AR, OPERANDS)
#define RESIZED_FROM_ALL_INTEGERS(D_TYPE, D, DR)                              \
    RESIZED_ALL_ROUNDINGS(D_TYPE, D, DR, "s16", i16, "h", integers<i16>());   \
    RESIZED_ALL_ROUNDINGS(D_TYPE, D, DR, "u16", u16, "h", integers<u16>());   \
    RESIZED_ALL_ROUNDINGS(D_TYPE, D, DR, "s32", i32, "r", integers<i32>());   \
    RESIZED_ALL_ROUNDINGS(D_TYPE, D, DR, "u32", u32, "r", integers<u32>());   \
    RESIZED_ALL_ROUNDINGS(D_TYPE, D, DR, "s64", i64, "l", integers<i64>());   \
    RESIZED_ALL_ROUNDINGS(D_TYPE, D, DR, "u64", u64, "l", integers<u64>())

/// Compares results. Accepts any NaN, because f64 keeps the upper bits of a NaN's payload.
template <const SmallFormat& F>
bool same_half(const u16& got, const u16& wanted) {
    return got == wanted || (is_nan(F, got) && is_nan(F, wanted));
}
// The host first rounds 64-bit integers to odd, because not all of them fit in a double.
#define TO_HALF(M, TOWARDS, D_TYPE, FORMAT, A_TYPE, A, AR, OPERANDS)                             \
    group.check("cvt." M "." D_TYPE "." A_TYPE, OPERANDS,                                        \
                DEVICE_1("cvt." M "." D_TYPE "." A_TYPE, u16, "=h", A, AR), [](A a) {            \
                    volatile A from = a;                                                         \
                    const double exact = to_odd([&] { return static_cast<double>(from); });      \
                    return static_cast<u16>(round_to(FORMAT, exact, Towards::TOWARDS));          \
                }, (same_half<FORMAT>))
#define TO_HALF_ALL_ROUNDINGS(D_TYPE, FORMAT, A_TYPE, A, AR, OPERANDS)          \
    TO_HALF("rn", nearest, D_TYPE, FORMAT, A_TYPE, A, AR, OPERANDS);            \
    TO_HALF("rz", zero, D_TYPE, FORMAT, A_TYPE, A, AR, OPERANDS);               \
    TO_HALF("rm", down, D_TYPE, FORMAT, A_TYPE, A, AR, OPERANDS);               \
    TO_HALF("rp", up, D_TYPE, FORMAT, A_TYPE, A, AR, OPERANDS)

void test_integers_to_floats() {
    {
        Group group("integer to f32 and f64");
        RESIZED_FROM_ALL_INTEGERS("f32", float, "f");
        RESIZED_FROM_ALL_INTEGERS("f64", double, "d");
    }
    Group group("integer to f16 and bf16");
    TO_HALF_ALL_ROUNDINGS("f16", kF16, "s16", i16, "h", integers<i16>());
    TO_HALF_ALL_ROUNDINGS("f16", kF16, "u32", u32, "r", integers<u32>());
    TO_HALF_ALL_ROUNDINGS("f16", kF16, "s64", i64, "l", integers<i64>());
    TO_HALF_ALL_ROUNDINGS("bf16", kBF16, "s32", i32, "r", integers<i32>());
    TO_HALF_ALL_ROUNDINGS("bf16", kBF16, "u64", u64, "l", integers<u64>());
}

// ---- float to float ----

float flushed(float a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }
float saturated(float a) { return !(a > 0) ? 0 : a < 1 ? a : 1; }

#define WHOLE(M, TOWARDS, TYPE, T, R, OPERANDS)                                      \
    group.check("cvt." M TYPE TYPE, OPERANDS,                                        \
                DEVICE_1("cvt." M TYPE TYPE, T, "=" R, T, R),                        \
                [](T a) { return whole(a, Towards::TOWARDS); }, same_number<T>)
#define WHOLE_ALL_ROUNDINGS(TYPE, T, R, OPERANDS)    \
    WHOLE("rni", nearest, TYPE, T, R, OPERANDS);     \
    WHOLE("rzi", zero, TYPE, T, R, OPERANDS);        \
    WHOLE("rmi", down, TYPE, T, R, OPERANDS);        \
    WHOLE("rpi", up, TYPE, T, R, OPERANDS)

void test_sizes() {
    const auto f = floats<float>();
    const auto d = floats<double>();
    {
        Group group("f64 to f32 and back");
        RESIZED_ALL_ROUNDINGS("f32", float, "f", "f64", double, "d", d);
        group.check("cvt.f64.f32", f, DEVICE_1("cvt.f64.f32", double, "=d", float, "f"),
                    [](float a) { return double{a}; }, same_number<double>);
        group.check("cvt.ftz.f64.f32", f, DEVICE_1("cvt.ftz.f64.f32", double, "=d", float, "f"),
                    [](float a) { return double{flushed(a)}; }, same_number<double>);
        group.check("cvt.rn.ftz.f32.f64", d, DEVICE_1("cvt.rn.ftz.f32.f64", float, "=f", double, "d"),
                    [](double a) { return flushed(in_direction<float>(a, FE_TONEAREST)); }, same_number<float>);
        group.check("cvt.rn.sat.f32.f64", d, DEVICE_1("cvt.rn.sat.f32.f64", float, "=f", double, "d"),
                    [](double a) { return saturated(in_direction<float>(a, FE_TONEAREST)); });
        group.check("cvt.sat.f32.f32", f, DEVICE_1("cvt.sat.f32.f32", float, "=f", float, "f"), saturated);
    }
    Group group("to whole numbers");
    WHOLE_ALL_ROUNDINGS(".f32", float, "f", f);
    WHOLE_ALL_ROUNDINGS(".f64", double, "d", d);
}

#define FROM_F32(M, D_TYPE, FORMAT, HOST)                                                       \
    group.check("cvt." M "." D_TYPE ".f32", f, DEVICE_1("cvt." M "." D_TYPE ".f32", u16, "=h", float, "f"), \
                [](float a) { return static_cast<u16>(HOST); })

u32 relu(const SmallFormat& f, u32 bits) { return !is_nan(f, bits) && (bits & f.sign()) ? 0 : bits; }
u32 finite(const SmallFormat& f, u32 bits) {
    return (bits & (f.sign() - 1)) == f.infinity() ? (bits & f.sign()) | f.largest() : bits;
}

void test_halves() {
    const auto f = floats<float>();
    {
        Group group("f32 to f16 and bf16");
        TO_HALF_ALL_ROUNDINGS("f16", kF16, "f64", double, "d", floats<double>());
        FROM_F32("rn", "f16", kF16, round_to(kF16, a));
        FROM_F32("rz", "f16", kF16, round_to(kF16, a, Towards::zero));
        FROM_F32("rm", "f16", kF16, round_to(kF16, a, Towards::down));
        FROM_F32("rp", "f16", kF16, round_to(kF16, a, Towards::up));
        FROM_F32("rn.sat", "f16", kF16, round_to(kF16, saturated(a)));
        FROM_F32("rn.relu", "f16", kF16, relu(kF16, round_to(kF16, a)));
        FROM_F32("rn", "bf16", kBF16, round_to(kBF16, a));
        FROM_F32("rz", "bf16", kBF16, round_to(kBF16, a, Towards::zero));
        FROM_F32("rn.relu", "bf16", kBF16, relu(kBF16, round_to(kBF16, a)));
    }
    {
        const auto two = float_operands<float>(2);
        Group group("f32 to pairs");
        group.check("cvt.rn.f16x2.f32", two, DEVICE_2("cvt.rn.f16x2.f32", u32, "=r", float, "f"),
                    [](float a, float b) { return round_to(kF16, a) << 16 | round_to(kF16, b); });
        group.check("cvt.rz.relu.f16x2.f32", two, DEVICE_2("cvt.rz.relu.f16x2.f32", u32, "=r", float, "f"),
                    [](float a, float b) {
                        return relu(kF16, round_to(kF16, a, Towards::zero)) << 16 |
                               relu(kF16, round_to(kF16, b, Towards::zero));
                    });
        group.check("cvt.rn.bf16x2.f32", two, DEVICE_2("cvt.rn.bf16x2.f32", u32, "=r", float, "f"),
                    [](float a, float b) { return round_to(kBF16, a) << 16 | round_to(kBF16, b); });
    }
    Group group("f16 and bf16 to f32");
    const auto all = all_16_bits();
    group.check("cvt.f32.f16", all, DEVICE_1("cvt.f32.f16", float, "=f", u16, "h"),
                [](u16 a) { return static_cast<float>(value_of(kF16, a)); }, same_number<float>);
    group.check("cvt.f32.bf16", all, DEVICE_1("cvt.f32.bf16", float, "=f", u16, "h"),
                [](u16 a) { return static_cast<float>(value_of(kBF16, a)); }, same_number<float>);
    group.check("cvt.f64.f16", all, DEVICE_1("cvt.f64.f16", double, "=d", u16, "h"),
                [](u16 a) { return value_of(kF16, a); }, same_number<double>);
    group.check("cvt.rn.bf16.f16", all, DEVICE_1("cvt.rn.bf16.f16", u16, "=h", u16, "h"),
                [](u16 a) { return static_cast<u16>(round_to(kBF16, value_of(kF16, a))); });
    group.check("cvt.rzi.f16.f16", all, DEVICE_1("cvt.rzi.f16.f16", u16, "=h", u16, "h"),
                [](u16 a) { return static_cast<u16>(round_to(kF16, std::trunc(value_of(kF16, a)))); });
}

/// Compares only the significant bits, because the other bits of a tf32 are undefined.
bool same_tf32(const u32& got, const u32& wanted) {
    return got >> 13 == wanted >> 13 || (is_nan(kTensor32, got >> 13) && is_nan(kTensor32, wanted >> 13));
}
#define TF32(M, HOST) \
    group.check("cvt." M ".tf32.f32", f, DEVICE_1("cvt." M ".tf32.f32", u32, "=r", float, "f"), \
                [](float a) -> u32 { return (HOST) << 13; }, same_tf32)

void test_tf32() {
    const auto f = floats<float>();
    Group group("tf32");
    // NaNs are omitted, because .rna makes the device add to the bits of a NaN.
    Columns<float> numbers(1);
    for (float a : f[0])
        if (a == a) numbers[0].push_back(a);
    group.check("cvt.rna.tf32.f32", numbers, DEVICE_1("cvt.rna.tf32.f32", u32, "=r", float, "f"),
                [](float a) { return round_to(kTensor32, a, Towards::away_at_ties) << 13; }, same_tf32);
    TF32("rn", round_to(kTensor32, a));
    TF32("rz", round_to(kTensor32, a, Towards::zero));
    TF32("rn.relu", relu(kTensor32, round_to(kTensor32, a)));
}

// ---- eight bits ----

u32 to_8_bits(const SmallFormat& f, double value) {
    const u32 bits = round_to(f, value);
    if (value != value) return f.nan();
    if (f.has_infinity) return finite(f, bits);
    return (bits & (f.sign() - 1)) > f.largest() ? (bits & f.sign()) | f.largest() : bits;
}
#define EIGHT_BITS(TYPE, FORMAT)                                                                     \
    group.check("cvt.rn.satfinite." TYPE ".f32", two,                                                \
                DEVICE_2("cvt.rn.satfinite." TYPE ".f32", u16, "=h", float, "f"),                    \
                [](float a, float b) {                                                               \
                    return static_cast<u16>(to_8_bits(FORMAT, a) << 8 | to_8_bits(FORMAT, b));       \
                });                                                                                  \
    group.check("cvt.rn.satfinite." TYPE ".f16x2", pairs,                                            \
                DEVICE_1("cvt.rn.satfinite." TYPE ".f16x2", u16, "=h", u32, "r"), [](u32 a) {        \
                    return static_cast<u16>(to_8_bits(FORMAT, value_of(kF16, a >> 16)) << 8 |        \
                                            to_8_bits(FORMAT, value_of(kF16, a & 0xffff)));          \
                });                                                                                  \
    group.check("cvt.rn.f16x2." TYPE, all, DEVICE_1("cvt.rn.f16x2." TYPE, u32, "=r", u16, "h"),      \
                [](u16 a) {                                                                          \
                    return round_to(kF16, value_of(FORMAT, a >> 8)) << 16 |                          \
                           round_to(kF16, value_of(FORMAT, a & 0xff));                               \
                })

void test_8_bits() {
    const auto two = float_operands<float>(2);
    const auto all = all_16_bits();
    Columns<u32> pairs(1);
    for (u32 bits = 0; bits < 0x10000; ++bits) pairs[0].push_back(bits | bits * 40503u << 16);
    Group group("e4m3 and e5m2");
    EIGHT_BITS("e4m3x2", kE4M3);
    EIGHT_BITS("e5m2x2", kE5M2);
}

// ---- two integers that are packed into one register ----

#define PACK_16(TYPE, D)                                                                          \
    group.check("cvt.pack.sat." TYPE ".s32", two,                                                 \
                DEVICE_2("cvt.pack.sat." TYPE ".s32", u32, "=r", i32, "r"), [](i32 a, i32 b) {    \
                    return u32{static_cast<u16>(clamped<D>(a))} << 16 | static_cast<u16>(clamped<D>(b)); \
                })
#define PACK_8(TYPE, D)                                                                           \
    group.check("cvt.pack.sat." TYPE ".s32.b32", three,                                           \
                DEVICE_3("cvt.pack.sat." TYPE ".s32.b32", u32, "=r", i32, "r"),                   \
                [](i32 a, i32 b, i32 c) {                                                         \
                    return u32{static_cast<u8>(clamped<D>(a))} << 8 |                             \
                           static_cast<u8>(clamped<D>(b)) | static_cast<u32>(c) << 16;            \
                })

void test_packing() {
    const std::vector<i32> edges = {0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768,
                                    -32769, 65535, 65536, 0x7fffffff, -0x7fffffff - 1};
    const auto random = [](Noise& noise) { return static_cast<i32>(noise.next() >> 30) >> (noise.next() >> 59); };
    const auto two = choices<i32>(2, edges, 2000, random), three = choices<i32>(3, edges, 2000, random);
    Group group("packed integers");
    PACK_16("s16", i16);
    PACK_16("u16", u16);
    PACK_8("s8", i8);
    PACK_8("u8", u8);
}

int main() {
    test_integers();
    test_floats_to_integers();
    test_integers_to_floats();
    test_sizes();
    test_halves();
    test_tf32();
    test_8_bits();
    test_packing();
}
