// only with --all: instructions in inline PTX, which every compiler passes on unchanged
// Tests every instruction and type of integer arithmetic, with wrap-around, saturation, halves of
// products, carries and division by zero.
// expect: add sub: ok
// expect: saturating add sub: ok
// expect: pairs of 16 bits: ok
// expect: neg abs: ok
// expect: mul: ok
// expect: mad: ok
// expect: mul24 mad24: ok
// expect: sad: ok
// expect: div rem: ok
// expect: min max: ok
// expect: dp4a dp2a: ok
// expect: vabsdiff2 vabsdiff4: ok
// expect: vmin2 vmin4 vmax2 vmax4: ok
// expect: carry of 32 bits: ok
// expect: carry of 64 bits: ok
// expect: additions after subtractions: ok
// expect: products with carry: ok
// expect: 128 bits: ok
#include "instruction_check.h"

// The host computes sums and products in 128 bits, without overflow, and then truncates them.
template <class T>
T low(s128 value) {
    return static_cast<T>(value);
}
template <class T>
T high(s128 value) {
    return static_cast<T>(value >> 8 * sizeof(T));
}
s32 clamped(s128 value) {
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : s32(value);
}
/// The product of two large u64 values would overflow s128, so unsigned types use u128.
template <class T>
T product_high(T a, T b) {
    return std::is_signed_v<T> ? high<T>(s128(a) * b)
                               : static_cast<T>(u128(a) * u128(b) >> 8 * sizeof(T));
}

#define FOR_ALL(X) X(s16) X(u16) X(s32) X(u32) X(s64) X(u64)

// ---- add, sub ----

GROUP("add sub");
#define ADD_SUB(T)                                                       \
    BINARY("add." #T " %0, %1, %2;", T, T, T, low<T>(s128(a) + s128(b))); \
    BINARY("sub." #T " %0, %1, %2;", T, T, T, low<T>(s128(a) - s128(b)));
FOR_ALL(ADD_SUB)

GROUP("saturating add sub");
BINARY("add.sat.s32 %0, %1, %2;", s32, s32, s32, clamped(s128(a) + b));
BINARY("sub.sat.s32 %0, %1, %2;", s32, s32, s32, clamped(s128(a) - b));

GROUP("pairs of 16 bits");
template <class T>
u32 in_pairs(u32 a, u32 b, int (*f)(int, int)) {
    const u32 lower = u16(f(T(a & 0xffff), T(b & 0xffff))), upper = u16(f(T(a >> 16), T(b >> 16)));
    return lower + (upper << 16);
}
int sum(int a, int b) { return a + b; }
int smaller(int a, int b) { return a < b ? a : b; }
int bigger(int a, int b) { return a > b ? a : b; }
int smaller_or_zero(int a, int b) { return bigger(smaller(a, b), 0); }
int bigger_or_zero(int a, int b) { return bigger(bigger(a, b), 0); }
BINARY("add.u16x2 %0, %1, %2;", u32, u32, u32, in_pairs<u16>(a, b, sum));
BINARY("add.s16x2 %0, %1, %2;", u32, u32, u32, in_pairs<s16>(a, b, sum));
BINARY("min.u16x2 %0, %1, %2;", u32, u32, u32, in_pairs<u16>(a, b, smaller));
BINARY("min.s16x2 %0, %1, %2;", u32, u32, u32, in_pairs<s16>(a, b, smaller));
BINARY("max.u16x2 %0, %1, %2;", u32, u32, u32, in_pairs<u16>(a, b, bigger));
BINARY("max.s16x2 %0, %1, %2;", u32, u32, u32, in_pairs<s16>(a, b, bigger));
BINARY("min.relu.s16x2 %0, %1, %2;", u32, u32, u32, in_pairs<s16>(a, b, smaller_or_zero));
BINARY("max.relu.s16x2 %0, %1, %2;", u32, u32, u32, in_pairs<s16>(a, b, bigger_or_zero));

GROUP("neg abs");
#define NEG_ABS(T)                                           \
    UNARY("neg." #T " %0, %1;", T, T, low<T>(-s128(a)));      \
    UNARY("abs." #T " %0, %1;", T, T, low<T>(a < 0 ? -s128(a) : s128(a)));
NEG_ABS(s16) NEG_ABS(s32) NEG_ABS(s64)

// ---- mul, mad ----

GROUP("mul");
#define MUL(T)                                                                      \
    BINARY("mul.lo." #T " %0, %1, %2;", T, T, T, low<T>(u128(a) * u128(b))); \
    BINARY("mul.hi." #T " %0, %1, %2;", T, T, T, product_high<T>(a, b));
FOR_ALL(MUL)
#define MUL_WIDE(T, W) BINARY("mul.wide." #T " %0, %1, %2;", W, T, T, s128(a) * b);
MUL_WIDE(s16, s32) MUL_WIDE(u16, u32) MUL_WIDE(s32, s64) MUL_WIDE(u32, u64)

GROUP("mad");
#define MAD(T)                                                                             \
    TERNARY("mad.lo." #T " %0, %1, %2, %3;", T, T, T, T, u128(a) * u128(b) + u128(c)); \
    TERNARY("mad.hi." #T " %0, %1, %2, %3;", T, T, T, T, u128(product_high<T>(a, b)) + u128(c));
FOR_ALL(MAD)
#define MAD_WIDE(T, W) \
    TERNARY("mad.wide." #T " %0, %1, %2, %3;", W, T, T, W, u128(s128(a) * b) + u128(c));
MAD_WIDE(s16, s32) MAD_WIDE(u16, u32) MAD_WIDE(s32, s64) MAD_WIDE(u32, u64)
// A literal addend has the width of the result.
BINARY("mad.wide.s16 %0, %1, %2, -100000;", s32, s16, s16, u128(s128(a) * b - 100000));
BINARY("mad.wide.u16 %0, %1, %2, 0xfffffffe;", u32, u16, u16, u128(a) * b + 0xfffffffeu);
TERNARY("mad.hi.sat.s32 %0, %1, %2, %3;", s32, s32, s32, s32,
        clamped(s128(product_high<s32>(a, b)) + c));

GROUP("mul24 mad24");
/// Returns the lower 24 bits of a, sign-extended for s32.
s64 lower_24(s32 a) {
    const s64 bits = a & 0xffffff;
    return bits >= 0x800000 ? bits - 0x1000000 : bits;
}
s64 lower_24(u32 a) { return a & 0xffffff; }
#define MUL24(T)                                                                                   \
    BINARY("mul24.lo." #T " %0, %1, %2;", T, T, T, lower_24(a) * lower_24(b)); \
    BINARY("mul24.hi." #T " %0, %1, %2;", T, T, T, lower_24(a) * lower_24(b) >> 16); \
    TERNARY("mad24.lo." #T " %0, %1, %2, %3;", T, T, T, T, lower_24(a) * lower_24(b) + c); \
    TERNARY("mad24.hi." #T " %0, %1, %2, %3;", T, T, T, T, (lower_24(a) * lower_24(b) >> 16) + c);
MUL24(s32) MUL24(u32)
TERNARY("mad24.hi.sat.s32 %0, %1, %2, %3;", s32, s32, s32, s32,
        clamped(s128(s32(lower_24(a) * lower_24(b) >> 16)) + c));

GROUP("sad");
#define SAD(T)                                           \
    TERNARY("sad." #T " %0, %1, %2, %3;", T, T, T, T, \
            s128(c) + (a < b ? s128(b) - s128(a) : s128(a) - s128(b)));
FOR_ALL(SAD)

// ---- div, rem ----

GROUP("div rem");
template <class T>
T quotient(T a, T b) {
    return b == 0 ? static_cast<T>(-1) : low<T>(s128(a) / s128(b));
}
template <class T>
T remainder(T a, T b) {
    return b == 0 ? static_cast<T>(-1) : low<T>(s128(a) % s128(b));
}
#define DIV(T)                                                            \
    BINARY("div." #T " %0, %1, %2;", T, T, T, quotient<T>(a, b)); \
    BINARY("rem." #T " %0, %1, %2;", T, T, T, remainder<T>(a, b));
FOR_ALL(DIV)

GROUP("min max");
#define MIN_MAX(T)                                                  \
    BINARY("min." #T " %0, %1, %2;", T, T, T, a < b ? a : b); \
    BINARY("max." #T " %0, %1, %2;", T, T, T, a < b ? b : a);
FOR_ALL(MIN_MAX)
BINARY("min.relu.s32 %0, %1, %2;", s32, s32, s32, a < 0 || b < 0 ? 0 : a < b ? a : b);
BINARY("max.relu.s32 %0, %1, %2;", s32, s32, s32, a < 0 && b < 0 ? 0 : a < b ? b : a);

// ---- dot products ----

GROUP("dp4a dp2a");
/// Returns part `index` of a word that consists of parts of `bits` bits.
s64 part(u32 word, int bits, int index, bool is_signed) {
    const s64 value = word >> bits * index & ((1u << bits) - 1);
    return is_signed && value >> (bits - 1) ? value - (1ll << bits) : value;
}
u32 dot4(u32 a, bool signed_a, u32 b, bool signed_b, u32 c) {
    s64 total = c;
    for (int i = 0; i < 4; ++i) total += part(a, 8, i, signed_a) * part(b, 8, i, signed_b);
    return u32(total);
}
u32 dot2(u32 a, bool signed_a, u32 b, bool signed_b, u32 c, int first) {
    s64 total = c;
    for (int i = 0; i < 2; ++i) total += part(a, 16, i, signed_a) * part(b, 8, first + i, signed_b);
    return u32(total);
}
#define DOT(A, signed_a, B, signed_b)                                 \
    TERNARY("dp4a." #A "." #B " %0, %1, %2, %3;", u32, u32, u32, u32, \
            dot4(a, signed_a, b, signed_b, c));                       \
    TERNARY("dp2a.lo." #A "." #B " %0, %1, %2, %3;", u32, u32, u32, u32, \
            dot2(a, signed_a, b, signed_b, c, 0));                    \
    TERNARY("dp2a.hi." #A "." #B " %0, %1, %2, %3;", u32, u32, u32, u32, \
            dot2(a, signed_a, b, signed_b, c, 2));
DOT(u32, false, u32, false) DOT(u32, false, s32, true)
DOT(s32, true, u32, false) DOT(s32, true, s32, true)

GROUP("vabsdiff2 vabsdiff4");
s64 difference(int bits, int index, u32 a, bool signed_a, u32 b, bool signed_b) {
    return std::abs(part(a, bits, index, signed_a) - part(b, bits, index, signed_b));
}
/// Computes the absolute differences of corresponding parts, truncated to the width of a part.
u32 differences(int bits, u32 a, bool signed_a, u32 b, bool signed_b) {
    u32 all = 0;
    for (int i = 0; i < 32 / bits; ++i) {
        all |= (u32(difference(bits, i, a, signed_a, b, signed_b)) & ((1u << bits) - 1)) << bits * i;
    }
    return all;
}
u32 sum_of_differences(int bits, u32 a, bool signed_a, u32 b, bool signed_b, u32 c) {
    for (int i = 0; i < 32 / bits; ++i) c += u32(difference(bits, i, a, signed_a, b, signed_b));
    return c;
}
#define DIFFERENCES(N, A, signed_a, B, signed_b)                                         \
    BINARY("vabsdiff" #N ".u32." #A "." #B " %0, %1, %2, %1;", u32, u32, u32,            \
           differences(32 / N, a, signed_a, b, signed_b));                               \
    TERNARY("vabsdiff" #N ".u32." #A "." #B ".add %0, %1, %2, %3;", u32, u32, u32, u32,  \
            sum_of_differences(32 / N, a, signed_a, b, signed_b, c));
DIFFERENCES(2, u32, false, u32, false) DIFFERENCES(2, u32, false, s32, true)
DIFFERENCES(2, s32, true, u32, false) DIFFERENCES(2, s32, true, s32, true)
DIFFERENCES(4, u32, false, u32, false) DIFFERENCES(4, u32, false, s32, true)
DIFFERENCES(4, s32, true, u32, false) DIFFERENCES(4, s32, true, s32, true)

GROUP("vmin2 vmin4 vmax2 vmax4");
u32 extrema(int bits, u32 a, bool signed_a, u32 b, bool signed_b, bool greater) {
    u32 all = 0;
    for (int i = 0; i < 32 / bits; ++i) {
        const s64 x = part(a, bits, i, signed_a), y = part(b, bits, i, signed_b);
        all |= (u32((x < y) == greater ? y : x) & ((1u << bits) - 1)) << bits * i;
    }
    return all;
}
#define EXTREMA(N, D, A, signed_a, B, signed_b)                                \
    BINARY("vmin" #N "." #D "." #A "." #B " %0, %1, %2, %1;", u32, u32, u32,   \
           extrema(32 / N, a, signed_a, b, signed_b, false));                  \
    BINARY("vmax" #N "." #D "." #A "." #B " %0, %1, %2, %1;", u32, u32, u32,   \
           extrema(32 / N, a, signed_a, b, signed_b, true));
EXTREMA(2, u32, u32, false, u32, false) EXTREMA(2, s32, u32, false, s32, true)
EXTREMA(2, u32, s32, true, u32, false) EXTREMA(2, s32, s32, true, s32, true)
EXTREMA(4, u32, u32, false, u32, false) EXTREMA(4, s32, u32, false, s32, true)
EXTREMA(4, u32, s32, true, u32, false) EXTREMA(4, s32, s32, true, s32, true)

// ---- carries: numbers in two or three words ----
// 64 bits in two 32-bit words, and 128 bits in two
// 64-bit words. A third word receives the carry out of
// the most significant word.

GROUP("carry of 32 bits");
#define IN_HALVES(what)                                                              \
    "{ .reg .b32 al, ah, bl, bh, dl, dh; mov.b64 {al, ah}, %1; mov.b64 {bl, bh}, %2; " what \
    " mov.b64 %0, {dl, dh}; }"
#define CARRY_OUT(what)                                                                  \
    "{ .reg .b32 al, ah, bl, bh, dl, dh; mov.b64 {al, ah}, %1; mov.b64 {bl, bh}, %2; " what \
    " }"
BINARY(IN_HALVES("add.cc.u32 dl, al, bl; addc.u32 dh, ah, bh;"), u64, u64, u64, a + b);
BINARY(IN_HALVES("sub.cc.u32 dl, al, bl; subc.u32 dh, ah, bh;"), u64, u64, u64, a - b);
BINARY(IN_HALVES("add.cc.s32 dl, al, bl; addc.s32 dh, ah, bh;"), u64, u64, u64, a + b);
BINARY(IN_HALVES("sub.cc.s32 dl, al, bl; subc.s32 dh, ah, bh;"), u64, u64, u64, a - b);
BINARY(CARRY_OUT("add.cc.u32 dl, al, bl; addc.cc.u32 dh, ah, bh; addc.u32 %0, 0, 0;"), u32, u64,
       u64, (u128(a) + b) >> 64);
BINARY(CARRY_OUT("sub.cc.u32 dl, al, bl; subc.cc.u32 dh, ah, bh; subc.u32 %0, 0, 0;"), u32, u64,
       u64, a < b ? -1 : 0);

GROUP("carry of 64 bits");
#define CARRY64(what) "{ .reg .b64 dl, dh; " what " }"
QUATERNARY(CARRY64("add.cc.u64 dl, %1, %2; addc.u64 %0, %3, %4;"), u64, u64, u64, u64, u64,
           c + e + u64((u128(a) + b) >> 64));
QUATERNARY(CARRY64("sub.cc.s64 dl, %1, %2; subc.s64 %0, %3, %4;"), u64, u64, u64, u64, u64,
           c - e - (a < b ? 1 : 0));
QUATERNARY(CARRY64("add.cc.s64 dl, %1, %2; addc.cc.u64 dh, %3, %4; addc.u64 %0, 0, 0;"), u64, u64,
           u64, u64, u64, (u128(c) + e + ((u128(a) + b) >> 64)) >> 64);
QUATERNARY(CARRY64("sub.cc.u64 dl, %1, %2; subc.cc.u64 dh, %3, %4; subc.u64 %0, 0, 0;"), u64, u64,
           u64, u64, u64, u128(c) < u128(e) + (a < b ? 1 : 0) ? -1 : 0);

GROUP("additions after subtractions");
// sub.cc sets the carry flag like a + ~b + 1: the flag is set if there is no borrow.
BINARY("{ .reg .b32 t; sub.cc.u32 t, %1, %2; addc.u32 %0, 0, 0; }", u32, u32, u32, a >= b);
BINARY("{ .reg .b32 t; add.cc.u32 t, %1, %2; subc.u32 %0, 0, 0; }", u32, u32, u32,
       (u64(a) + b) >> 32 ? 0 : -1);
BINARY("{ .reg .b64 t; sub.cc.u64 t, %1, %2; addc.u64 %0, 0, 0; }", u64, u64, u64, a >= b);
BINARY("{ .reg .b64 t; add.cc.u64 t, %1, %2; subc.u64 %0, 0, 0; }", u64, u64, u64,
       (u128(a) + b) >> 64 ? 0 : -1);

GROUP("products with carry");
#define ADDEND(what) "{ .reg .b32 cl, ch, dl, dh; mov.b64 {cl, ch}, %3; " what " }"
TERNARY(ADDEND("mad.lo.cc.u32 dl, %1, %2, cl; madc.hi.u32 dh, %1, %2, ch; mov.b64 %0, {dl, dh};"),
        u64, u32, u32, u64, u64(a) * b + c);
TERNARY(ADDEND("mad.lo.cc.s32 dl, %1, %2, cl; madc.hi.s32 dh, %1, %2, ch; mov.b64 %0, {dl, dh};"),
        u64, s32, s32, u64, u64(s64(a) * b) + c);
TERNARY(ADDEND("mad.lo.cc.u32 dl, %1, %2, cl; madc.hi.cc.u32 dh, %1, %2, ch; addc.u32 %0, 0, 0;"),
        u32, u32, u32, u64, (u128(u64(a) * b) + c) >> 64);
TERNARY("{ .reg .b32 t; mad.hi.cc.u32 t, %1, %2, %3; madc.lo.u32 %0, %1, %2, %3; }", u32, u32, u32,
        u32, a * b + c + u32(((u64(a) * b >> 32) + c) >> 32));
QUATERNARY("{ .reg .b64 t; mad.lo.cc.u64 t, %1, %2, %3; madc.hi.u64 %0, %1, %2, %4; }", u64, u64,
           u64, u64, u64, (u128(a) * b + (u128(e) << 64) + c) >> 64);
QUATERNARY("{ .reg .b64 t; mad.lo.cc.s64 t, %1, %2, %3; madc.hi.s64 %0, %1, %2, %4; }", u64, s64,
           s64, u64, u64, (u128(s128(a) * b) + (u128(e) << 64) + c) >> 64);

// ---- 128 bits, as the compiler splits them ----

GROUP("128 bits");
#define A128 (u128(a) << 64 | b)
#define B128 (u128(c) << 64 | e)
#define BOTH_HALVES(value) EXPRESSION(u64, u64, value) ; EXPRESSION(u64, u64, (value) >> 64)
BOTH_HALVES(A128 + B128);
BOTH_HALVES(A128 - B128);
BOTH_HALVES(A128 * B128);
BOTH_HALVES(A128 << (e & 127));
BOTH_HALVES(A128 >> (e & 127));
BOTH_HALVES(s128(A128) >> (e & 127));
BOTH_HALVES(A128 / (B128 | 1));
BOTH_HALVES(A128 % (u128(e) | 1));
BOTH_HALVES(s128(A128) / (s128(s64(e)) * 2 + 1));
BOTH_HALVES(s128(A128) % (s128(B128) | 4));
EXPRESSION(u64, u64, A128 < B128);
EXPRESSION(u64, u64, s128(A128) <= s128(B128));

int main() {
    run_instructions();
}
