// Compares CUDA's integer functions with equivalent C++ on the host, for edge values and random
// numbers. nvcc and the headers for clang must give the same results.
// expect: products: ok
// expect: averages and differences: ok
// expect: dot products: ok
// expect: funnel shifts: ok
// expect: the n-th bit: ok
// expect: halves of words: ok
// expect: bytes of words: ok
#include "integer_functions.h"

static u32 nth_bit(u32 mask, u32 from, int n) {
    for (int at = static_cast<int>(from), seen = 0; at >= 0 && at < 32; at += n < 0 ? -1 : 1) {
        seen += mask >> at & 1;
        if (n == 0) return mask >> at & 1 ? from : ~0u;
        if (seen == (n < 0 ? -n : n)) return static_cast<u32>(at);
    }
    return ~0u;
}
static int low_24(u32 x) {
    return static_cast<int>(x << 8) >> 8;
}
static char byte_of(u32 x, int at) {
    return static_cast<char>(part(x, 8, at, true));
}

#define PRODUCTS(F)                                                              \
    F(u32(__mul24(i, j)), u32(s64{low_24(a)} * low_24(b)))                       \
    F(__umul24(a, b), u32(u64{a & 0xffffff} * (b & 0xffffff)))                   \
    F(__mulhi(i, j), static_cast<int>(s64{i} * j >> 32))                         \
    F(__umulhi(a, b), u32(u64{a} * b >> 32))                                     \
    F(__mul64hi(wi, wj), static_cast<s64>(static_cast<__int128>(wi) * wj >> 64)) \
    F(__umul64hi(wa, wb), static_cast<u64>(static_cast<unsigned __int128>(wa) * wb >> 64))
#define AVERAGES(F)                                                  \
    F(__hadd(i, j), static_cast<int>((s64{i} + j) >> 1))             \
    F(__rhadd(i, j), static_cast<int>((s64{i} + j + 1) >> 1))        \
    F(__uhadd(a, b), u32((u64{a} + b) >> 1))                         \
    F(__urhadd(a, b), u32((u64{a} + b + 1) >> 1))                    \
    F(__sad(i, j, c), c + u32(s64{i} > j ? s64{i} - j : s64{j} - i)) \
    F(__usad(a, b, c), c + (a > b ? a - b : b - a))
#define DOT(bits_a, sign, at, to) (part(a, bits_a, at, sign) * part(b, 8, to, sign))
#define DOT_PRODUCTS(F)                                                                           \
    F(u32(__dp4a(i, j, k)),                                                                       \
      c + u32(DOT(8, true, 0, 0) + DOT(8, true, 1, 1) + DOT(8, true, 2, 2) + DOT(8, true, 3, 3))) \
    F(__dp4a(a, b, c), c + u32(DOT(8, false, 0, 0) + DOT(8, false, 1, 1) + DOT(8, false, 2, 2) +  \
                               DOT(8, false, 3, 3)))                                              \
    F(u32(__dp2a_lo(i, j, k)), c + u32(DOT(16, true, 0, 0) + DOT(16, true, 1, 1)))                \
    F(u32(__dp2a_hi(i, j, k)), c + u32(DOT(16, true, 0, 2) + DOT(16, true, 1, 3)))                \
    F(__dp2a_lo(a, b, c), c + u32(DOT(16, false, 0, 0) + DOT(16, false, 1, 1)))                   \
    F(__dp2a_hi(a, b, c), c + u32(DOT(16, false, 0, 2) + DOT(16, false, 1, 3)))                   \
    F(u32(__dp4a(bytes_of(a), bytes_of(b), k)),                                                   \
      c + u32(byte_of(a, 0) * byte_of(b, 0) + byte_of(a, 1) * byte_of(b, 1) +                     \
              byte_of(a, 2) * byte_of(b, 2) + byte_of(a, 3) * byte_of(b, 3)))
#define FUNNEL_SHIFTS(F)                                                               \
    F(__funnelshift_l(a, b, c), u32(((u64{b} << 32 | a) << (c & 31)) >> 32))           \
    F(__funnelshift_r(a, b, c), u32((u64{b} << 32 | a) >> (c & 31)))                   \
    F(__funnelshift_lc(a, b, c), u32(((u64{b} << 32 | a) << (c < 32 ? c : 32)) >> 32)) \
    F(__funnelshift_rc(a, b, c), u32((u64{b} << 32 | a) >> (c < 32 ? c : 32)))
#define NTH_BIT(F) F(__fns(a, b & 31, k % 9), nth_bit(a, b & 31, k % 9))

#define COMPARED(F, n, name, sign, operation)                       \
    F(__vcmp##name##n(a, b), EACH(n, sign, x operation y ? ~0 : 0)) \
    F(__vset##name##n(a, b), EACH(n, sign, x operation y ? 1 : 0))
#define DIFFERENCES(F, n)                                                            \
    F(__vabs##n(a), EACH(n, true, x < 0 ? -x : x))                                   \
    F(__vabsss##n(a), EACH(n, true, clamped(x < 0 ? -x : x, -MOST(n) - 1, MOST(n)))) \
    F(__vabsdiffs##n(a, b), EACH(n, true, x < y ? y - x : x - y))                    \
    F(__vabsdiffu##n(a, b), EACH(n, false, x < y ? y - x : x - y))                   \
    F(__vsads##n(a, b), sum_of_differences(a, b, 32 / n, true))                      \
    F(__vsadu##n(a, b), sum_of_differences(a, b, 32 / n, false))
#define PARTS(F, n)                                                            \
    F(__vneg##n(a), EACH(n, true, -x))                                         \
    F(__vnegss##n(a), EACH(n, true, clamped(-x, -MOST(n) - 1, MOST(n))))       \
    F(__vadd##n(a, b), EACH(n, false, x + y))                                  \
    F(__vaddss##n(a, b), EACH(n, true, clamped(x + y, -MOST(n) - 1, MOST(n)))) \
    F(__vaddus##n(a, b), EACH(n, false, clamped(x + y, 0, 2 * MOST(n) + 1)))   \
    F(__vsub##n(a, b), EACH(n, false, x - y))                                  \
    F(__vsubss##n(a, b), EACH(n, true, clamped(x - y, -MOST(n) - 1, MOST(n)))) \
    F(__vsubus##n(a, b), EACH(n, false, clamped(x - y, 0, 2 * MOST(n) + 1)))   \
    F(__vavgs##n(a, b), EACH(n, true, (x + y + (x + y >= 0 ? 1 : 0)) >> 1))    \
    F(__vavgu##n(a, b), EACH(n, false, (x + y + 1) / 2))                       \
    F(__vhaddu##n(a, b), EACH(n, false, (x + y) / 2))                          \
    F(__vmaxs##n(a, b), EACH(n, true, x < y ? y : x))                          \
    F(__vmaxu##n(a, b), EACH(n, false, x < y ? y : x))                         \
    F(__vmins##n(a, b), EACH(n, true, x < y ? x : y))                          \
    F(__vminu##n(a, b), EACH(n, false, x < y ? x : y))                         \
    COMPARED(F, n, eq, false, ==)                                              \
    COMPARED(F, n, ne, false, !=)                                              \
    COMPARED(F, n, ges, true, >=)                                              \
    COMPARED(F, n, geu, false, >=)                                             \
    COMPARED(F, n, gts, true, >)                                               \
    COMPARED(F, n, gtu, false, >)                                              \
    COMPARED(F, n, les, true, <=)                                              \
    COMPARED(F, n, leu, false, <=)                                             \
    COMPARED(F, n, lts, true, <)                                               \
    COMPARED(F, n, ltu, false, <)
#define HALVES(F) PARTS(F, 2) DIFFERENCES(F, 2)
#define BYTES(F) PARTS(F, 4) DIFFERENCES(F, 4)

__device__ char4 bytes_of(u32 x) {
    return make_char4(static_cast<signed char>(x), static_cast<signed char>(x >> 8),
                      static_cast<signed char>(x >> 16), static_cast<signed char>(x >> 24));
}

GROUP(products, PRODUCTS)
GROUP(averages, AVERAGES)
GROUP(dot_products, DOT_PRODUCTS)
GROUP(funnel_shifts, FUNNEL_SHIFTS)
GROUP(nth_bits, NTH_BIT)
GROUP(halves, HALVES)
GROUP(bytes, BYTES)

int main() {
    fill_operands();
    compare("products", products, products_on_host, products_names);
    compare("averages and differences", averages, averages_on_host, averages_names);
    compare("dot products", dot_products, dot_products_on_host, dot_products_names);
    compare("funnel shifts", funnel_shifts, funnel_shifts_on_host, funnel_shifts_names);
    compare("the n-th bit", nth_bits, nth_bits_on_host, nth_bits_names);
    compare("halves of words", halves, halves_on_host, halves_names);
    compare("bytes of words", bytes, bytes_on_host, bytes_names);
}
