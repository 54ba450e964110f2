// only with --all: instructions in inline PTX, which every compiler passes on unchanged
// Tests bitwise operations on numbers and predicates, and selection.
// expect: and or xor not cnot: ok
// expect: predicates: ok
// expect: selp: ok
// expect: slct: ok
// expect: lop3 with predicates: ok
// expect: lop3: ok
#include "instruction_check.h"

GROUP("and or xor not cnot");
#define BITWISE(T)                                        \
    BINARY("and." #T " %0, %1, %2;", T, T, T, a & b); \
    BINARY("or." #T " %0, %1, %2;", T, T, T, a | b);  \
    BINARY("xor." #T " %0, %1, %2;", T, T, T, a ^ b); \
    UNARY("not." #T " %0, %1;", T, T, ~a);             \
    UNARY("cnot." #T " %0, %1;", T, T, a == 0 ? 1 : 0);
BITWISE(b16) BITWISE(b32) BITWISE(b64)

// ---- predicates: p and q are the lowest bits of the sources ----

GROUP("predicates");
#define WITH_PREDICATES(what)                                                        \
    "{ .reg .b32 x, y; .reg .pred p, q, r; and.b32 x, %1, 1; and.b32 y, %2, 1;"       \
    " setp.ne.b32 p, x, 0; setp.ne.b32 q, y, 0; " what " selp.b32 %0, 1, 0, r; }"
BINARY(WITH_PREDICATES("and.pred r, p, q;"), u32, u32, u32, a & b & 1);
BINARY(WITH_PREDICATES("or.pred r, p, q;"), u32, u32, u32, (a | b) & 1);
BINARY(WITH_PREDICATES("xor.pred r, p, q;"), u32, u32, u32, (a ^ b) & 1);
BINARY(WITH_PREDICATES("not.pred r, p;"), u32, u32, u32, ~a & 1);
BINARY(WITH_PREDICATES("mov.pred r, q;"), u32, u32, u32, b & 1);
BINARY(WITH_PREDICATES("and.pred r, !p, q;"), u32, u32, u32, ~a & b & 1);
BINARY(WITH_PREDICATES("or.pred r, p, !q;"), u32, u32, u32, (a | ~b) & 1);
BINARY(WITH_PREDICATES("xor.pred r, !p, !q;"), u32, u32, u32, (a ^ b) & 1);
BINARY(WITH_PREDICATES("mov.pred r, p; xor.pred r, r, r; or.pred r, r, q;"), u32, u32, u32, b & 1);
BINARY(WITH_PREDICATES("mov.pred r, 0; @p mov.pred r, q;"), u32, u32, u32, a & b & 1);
BINARY(WITH_PREDICATES("mov.pred r, 1; @!p and.pred r, r, q;"), u32, u32, u32, (a | b) & 1);

// ---- selection ----

GROUP("selp");
#define SELP(T)                                                                       \
    TERNARY("{ .reg .pred p; setp.lt.s32 p, %3, 0; selp." #T " %0, %1, %2, p; }", T, T, T, s32, \
            c < 0 ? a : b);                                                           \
    TERNARY("{ .reg .pred p; setp.lt.s32 p, %3, 0; selp." #T " %0, %1, %2, !p; }", T, T, T, s32, \
            c < 0 ? b : a);
SELP(b16) SELP(s16) SELP(u16) SELP(b32) SELP(s32) SELP(u32) SELP(b64) SELP(s64) SELP(u64)
SELP(f32) SELP(f64)

GROUP("slct");
#define SLCT(T)                                                                           \
    TERNARY("slct." #T ".s32 %0, %1, %2, %3;", T, T, T, s32, c >= 0 ? a : b);         \
    TERNARY("slct." #T ".f32 %0, %1, %2, %3;", T, T, T, f32, c >= 0 ? a : b);         \
    TERNARY("slct.ftz." #T ".f32 %0, %1, %2, %3;", T, T, T, f32,                      \
            c >= 0 || c > -std::numeric_limits<float>::min() ? a : b);
SLCT(b16) SLCT(s16) SLCT(u16) SLCT(b32) SLCT(s32) SLCT(u32) SLCT(b64) SLCT(s64) SLCT(u64)
SLCT(f32) SLCT(f64)

// The predicate is true if the result is not 0. It is then combined with a second predicate.
GROUP("lop3 with predicates");
#define LOP3_WITH(COMBINE, OPERATOR)                                                     \
    TERNARY("{ .reg .pred p, q; .reg .b32 d, x; setp.lt.s32 q, %3, 0; "                  \
            "lop3." #COMBINE ".b32 d|p, %1, %2, %3, 0xc0, q; selp.b32 x, 5, 9, p; "      \
            "xor.b32 %0, d, x; }",                                                       \
            u32, u32, u32, s32, (a & b) ^ (((a & b) != 0 OPERATOR c < 0) ? 5 : 9));
LOP3_WITH(and, &&)
LOP3_WITH(or, ||)

// ---- lop3 with each of the 256 tables ----

constexpr int kTables = 256;

template <int kTable>
__device__ u32 lop3(u32 a, u32 b, u32 c) {
    u32 d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(kTable));
    return d;
}

template <int... kTable>
__device__ void lop3_all(u32* out, u32 a, u32 b, u32 c, std::integer_sequence<int, kTable...>) {
    ((out[kTable * 32] = lop3<kTable>(a, b, c)), ...);
}

__global__ void lop3_tables(u32* out, const u32* in) {
    const u32* mine = in + 3 * threadIdx.x;
    lop3_all(out + threadIdx.x, mine[0], mine[1], mine[2],
             std::make_integer_sequence<int, kTables>());
}

/// Returns the table's bit at index 4 * a + 2 * b + c, for the operand bits a, b, c.
u32 looked_up(u32 table, u32 a, u32 b, u32 c) {
    u32 result = 0;
    for (int bit = 0; bit < 32; ++bit) {
        const u32 index = (a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (c >> bit & 1);
        result |= (table >> index & 1) << bit;
    }
    return result;
}

void test_lop3() {
    Random random;
    std::vector<u32> values(3 * 32);
    for (u32& value : values) value = value_of<u32>(random.value());
    values[0] = 0xf0f0f0f0, values[1] = 0xcccccccc, values[2] = 0xaaaaaaaa;
    DeviceArray<u32> in(values), out(kTables * 32);
    lop3_tables<<<1, 32>>>(out, in);
    expect_equal("lop3", out.read(), for_threads<u32>(kTables * 32, [&](int i) {
                     const u32* mine = &values[3 * (i % 32)];
                     return looked_up(u32(i / 32), mine[0], mine[1], mine[2]);
                 }));
}

int main() {
    run_instructions();
    test_lop3();
}
