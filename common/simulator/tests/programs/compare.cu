// only with --all: instructions in inline PTX, which every compiler passes on unchanged
// Tests every operator of setp and set, with NaNs, and in combination with a predicate.
// expect: setp of integers: ok
// expect: setp of bits: ok
// expect: setp of floats: ok
// expect: setp of floats, flushing: ok
// expect: setp combined: ok
// expect: set of integers: ok
// expect: set of floats: ok
// expect: set combined: ok
#include "instruction_check.h"

template <class T>
bool is_nan(T x) {
    return x != x;
}
/// Encodes a predicate in bit 0 and its negation in bit 1.
u32 p_and_q(bool p) { return p ? 1 : 2; }
float flushed(float x) {
    return x > -std::numeric_limits<float>::min() && x < std::numeric_limits<float>::min() ? 0 : x;
}

// The equality operators of a type, each as X(PTX operator, type, C++ expression).
#define EQUALITIES(X, T) X(eq, T, a == b) X(ne, T, a != b)
#define ORDERS(X, T) X(lt, T, a < b) X(le, T, a <= b) X(gt, T, a > b) X(ge, T, a >= b)
#define UNSIGNED_ORDERS(X, T) X(lo, T, a < b) X(ls, T, a <= b) X(hi, T, a > b) X(hs, T, a >= b)
// Comparisons with a NaN are false, except those whose operator ends in `u`.
#define NONE_IS_NAN (!is_nan(a) && !is_nan(b))
#define FLOAT_OPERATORS(X, T)                                                             \
    X(eq, T, a == b) X(ne, T, NONE_IS_NAN && a != b)                                      \
    X(lt, T, a < b) X(le, T, a <= b) X(gt, T, a > b) X(ge, T, a >= b)                     \
    X(equ, T, !NONE_IS_NAN || a == b) X(neu, T, !NONE_IS_NAN || a != b) \
    X(ltu, T, !NONE_IS_NAN || a < b) X(leu, T, !NONE_IS_NAN || a <= b)                    \
    X(gtu, T, !NONE_IS_NAN || a > b) X(geu, T, !NONE_IS_NAN || a >= b)                    \
    X(num, T, NONE_IS_NAN) X(nan, T, !NONE_IS_NAN)

// ---- setp with two predicates p|q, and with only p ----

#define SETP(op, T, ...)                                                                       \
    BINARY("{ .reg .pred p, q; .reg .b32 x, y; setp." #op "." #T " p|q, %1, %2;" \
           " selp.u32 x, 1, 0, p; selp.u32 y, 2, 0, q; or.b32 %0, x, y; }", u32, T, T, \
           p_and_q(__VA_ARGS__));                                                             \
    BINARY("{ .reg .pred p; setp." #op "." #T " p, %1, %2; selp.u32 %0, 1, 2, p; }", u32, T, T, \
           p_and_q(__VA_ARGS__));

GROUP("setp of integers");
EQUALITIES(SETP, s16) EQUALITIES(SETP, u16) EQUALITIES(SETP, s32)
EQUALITIES(SETP, u32) EQUALITIES(SETP, s64) EQUALITIES(SETP, u64)
ORDERS(SETP, s16) ORDERS(SETP, u16) ORDERS(SETP, s32)
ORDERS(SETP, u32) ORDERS(SETP, s64) ORDERS(SETP, u64)
UNSIGNED_ORDERS(SETP, u16) UNSIGNED_ORDERS(SETP, u32) UNSIGNED_ORDERS(SETP, u64)

GROUP("setp of bits");
EQUALITIES(SETP, b16) EQUALITIES(SETP, b32) EQUALITIES(SETP, b64)

GROUP("setp of floats");
FLOAT_OPERATORS(SETP, f32) FLOAT_OPERATORS(SETP, f64)

GROUP("setp of floats, flushing");
#define SETP_FTZ(op, T, ...)                                                                    \
    BINARY("{ .reg .pred p; setp." #op ".ftz." #T " p, %1, %2; selp.u32 %0, 1, 2, p; }", u32, T, T, \
           [](T a, T b) { return p_and_q(__VA_ARGS__); }(flushed(a), flushed(b)));
FLOAT_OPERATORS(SETP_FTZ, f32)

// ---- setp with a third operand: the predicate c < 0, or its negation with "!" ----
//
// p combines the comparison with that predicate, and q combines the negated comparison with it.

GROUP("setp combined");
#define COMBINED(op, combine, negation, T)                                                      \
    "{ .reg .pred p, q, r; .reg .b32 x, y; setp.lt.s32 r, %3, 0;"                                \
    " setp." #op "." #combine "." #T " p|q, %1, %2, " negation "r;"                              \
    " selp.u32 x, 1, 0, p; selp.u32 y, 2, 0, q; or.b32 %0, x, y; }"
#define SETP_COMBINED(op, T, ...)                                                              \
    TERNARY(COMBINED(op, and, "", T), u32, T, T, s32,                                          \
            [](bool x, bool r) { return (x && r) + 2 * (!x && r); }(__VA_ARGS__, c < 0)); \
    TERNARY(COMBINED(op, or, "", T), u32, T, T, s32,                                           \
            [](bool x, bool r) { return (x || r) + 2 * (!x || r); }(__VA_ARGS__, c < 0)); \
    TERNARY(COMBINED(op, xor, "", T), u32, T, T, s32,                                          \
            [](bool x, bool r) { return (x != r) + 2 * (!x != r); }(__VA_ARGS__, c < 0)); \
    TERNARY(COMBINED(op, and, "!", T), u32, T, T, s32,                                         \
            [](bool x, bool r) { return (x && r) + 2 * (!x && r); }(__VA_ARGS__, c >= 0)); \
    TERNARY(COMBINED(op, xor, "!", T), u32, T, T, s32,                                         \
            [](bool x, bool r) { return (x != r) + 2 * (!x != r); }(__VA_ARGS__, c >= 0));
SETP_COMBINED(lt, s32, a < b) SETP_COMBINED(ge, u64, a >= b) SETP_COMBINED(ne, s16, a != b)
SETP_COMBINED(lt, f32, a < b) SETP_COMBINED(leu, f64, !NONE_IS_NAN || a <= b)
SETP_COMBINED(nan, f32, !NONE_IS_NAN)

// ---- set, whose true value is all ones or 1.0 ----

#define SET(op, T, ...)                                                                      \
    BINARY("set." #op ".u32." #T " %0, %1, %2;", u32, T, T, (__VA_ARGS__) ? 0xffffffff : 0); \
    BINARY("set." #op ".s32." #T " %0, %1, %2;", s32, T, T, (__VA_ARGS__) ? -1 : 0); \
    BINARY("set." #op ".f32." #T " %0, %1, %2;", f32, T, T, (__VA_ARGS__) ? 1.0f : 0.0f);

GROUP("set of integers");
EQUALITIES(SET, b16) EQUALITIES(SET, b32) EQUALITIES(SET, b64)
ORDERS(SET, s16) ORDERS(SET, u16) ORDERS(SET, s32)
ORDERS(SET, u32) ORDERS(SET, s64) ORDERS(SET, u64)
UNSIGNED_ORDERS(SET, u16) UNSIGNED_ORDERS(SET, u32) UNSIGNED_ORDERS(SET, u64)

GROUP("set of floats");
FLOAT_OPERATORS(SET, f32) FLOAT_OPERATORS(SET, f64)
#define SET_FTZ(op, T, ...)                                        \
    BINARY("set." #op ".ftz.u32." #T " %0, %1, %2;", u32, T, T, \
           [](T a, T b) { return (__VA_ARGS__) ? 0xffffffff : 0; }(flushed(a), flushed(b)));
FLOAT_OPERATORS(SET_FTZ, f32)

GROUP("set combined");
#define SET_COMBINED(op, T, ...)                                                                   \
    TERNARY("{ .reg .pred r; setp.lt.s32 r, %3, 0; set." #op ".and.u32." #T " %0, %1, %2, r; }", \
            u32, T, T, s32, (__VA_ARGS__) && c < 0 ? 0xffffffff : 0);                             \
    TERNARY("{ .reg .pred r; setp.lt.s32 r, %3, 0; set." #op ".or.f32." #T " %0, %1, %2, r; }", \
            f32, T, T, s32, (__VA_ARGS__) || c < 0 ? 1.0f : 0.0f);                                \
    TERNARY("{ .reg .pred r; setp.lt.s32 r, %3, 0; set." #op ".xor.s32." #T " %0, %1, %2, !r; }", \
            s32, T, T, s32, (__VA_ARGS__) != (c >= 0) ? -1 : 0);
SET_COMBINED(gt, s32, a > b) SET_COMBINED(hs, u64, a >= b) SET_COMBINED(eq, b16, a == b)
SET_COMBINED(gt, f32, a > b) SET_COMBINED(neu, f64, !NONE_IS_NAN || a != b)

int main() {
    run_instructions();
}
