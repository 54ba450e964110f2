// Intrinsics for integers, such as averages, dot products, and operations on the bytes of a word.
// They are written in plain C++ where possible. If the GPU has a single instruction for a function
// (dp4a, mad24, sad, shf), the function uses this instruction.
#pragma once

#include "coalesce_cuda/vector_types.h"

// clang-format off
#define COALESCE_INLINE __device__ COALESCE_INLINED
#define COALESCE_INTEGER2(name, type, instruction)                                     \
    COALESCE_INLINE type name(type a, type b) {                                        \
        type r;                                                                        \
        asm(instruction " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                    \
        return r;                                                                      \
    }
#define COALESCE_INTEGER3(name, type, type_a, instruction)                             \
    COALESCE_INLINE type name(type_a a, type_a b, type c) {                            \
        type r;                                                                        \
        asm(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));        \
        return r;                                                                      \
    }
COALESCE_INTEGER2(__mul24, int, "mul24.lo.s32")
COALESCE_INTEGER2(__umul24, unsigned int, "mul24.lo.u32")
COALESCE_INTEGER3(__sad, unsigned int, int, "sad.s32")
COALESCE_INTEGER3(__usad, unsigned int, unsigned int, "sad.u32")
COALESCE_INTEGER3(__dp4a, int, int, "dp4a.s32.s32")
COALESCE_INTEGER3(__dp4a, unsigned int, unsigned int, "dp4a.u32.u32")
COALESCE_INTEGER3(__dp2a_lo, int, int, "dp2a.lo.s32.s32")
COALESCE_INTEGER3(__dp2a_hi, int, int, "dp2a.hi.s32.s32")
COALESCE_INTEGER3(__dp2a_lo, unsigned int, unsigned int, "dp2a.lo.u32.u32")
COALESCE_INTEGER3(__dp2a_hi, unsigned int, unsigned int, "dp2a.hi.u32.u32")
COALESCE_INTEGER3(__byte_perm, unsigned int, unsigned int, "prmt.b32")
COALESCE_INTEGER3(__funnelshift_l, unsigned int, unsigned int, "shf.l.wrap.b32")
COALESCE_INTEGER3(__funnelshift_r, unsigned int, unsigned int, "shf.r.wrap.b32")
COALESCE_INTEGER3(__funnelshift_lc, unsigned int, unsigned int, "shf.l.clamp.b32")
COALESCE_INTEGER3(__funnelshift_rc, unsigned int, unsigned int, "shf.r.clamp.b32")
#undef COALESCE_INTEGER3
#undef COALESCE_INTEGER2

/// Packs the bytes of a vector into one 32-bit word.
template <class Vector>
COALESCE_INLINE unsigned int coalesce_word(const Vector& vector) {
    unsigned int word;
    __builtin_memcpy(&word, &vector, sizeof word);
    return word;
}
COALESCE_INLINE int __dp4a(char4 a, char4 b, int c) { return __dp4a(static_cast<int>(coalesce_word(a)), static_cast<int>(coalesce_word(b)), c); }
COALESCE_INLINE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) { return __dp4a(coalesce_word(a), coalesce_word(b), c); }

// Return `c` plus the dot product of the two 16-bit numbers in `a` and two bytes of `b`: the lower
// two for _lo, and the upper two for _hi.
COALESCE_INLINE int __dp2a_lo(short2 a, char4 b, int c) { return __dp2a_lo(static_cast<int>(coalesce_word(a)), static_cast<int>(coalesce_word(b)), c); }
COALESCE_INLINE int __dp2a_hi(short2 a, char4 b, int c) { return __dp2a_hi(static_cast<int>(coalesce_word(a)), static_cast<int>(coalesce_word(b)), c); }
COALESCE_INLINE unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) { return __dp2a_lo(coalesce_word(a), coalesce_word(b), c); }
COALESCE_INLINE unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) { return __dp2a_hi(coalesce_word(a), coalesce_word(b), c); }

COALESCE_INLINE long long __mul64hi(long long a, long long b) { return static_cast<long long>((static_cast<__int128>(a) * b) >> 64); }
COALESCE_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64); }

// Return the average of `a` and `b` without overflow. hadd rounds down, and rhadd rounds up.
COALESCE_INLINE int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
COALESCE_INLINE int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
COALESCE_INLINE unsigned int __uhadd(unsigned int a, unsigned int b) { return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1); }
COALESCE_INLINE unsigned int __urhadd(unsigned int a, unsigned int b) { return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1); }

/// Finds the n-th set bit of `mask`, counting from bit `from`: upwards for n > 0, and downwards for
/// n < 0. For n = 0, returns `from` if this bit is set. Returns all ones if there is no such bit.
COALESCE_INLINE unsigned int __fns(unsigned int mask, unsigned int from, int n) {
    if (n == 0) return mask >> from & 1 ? from : 0xffffffffu;
    const int step = n > 0 ? 1 : -1;
    int left = n > 0 ? n : -n;
    for (int at = static_cast<int>(from); at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --left == 0) return static_cast<unsigned int>(at);
    return 0xffffffffu;
}

// ---- operations on the parts of a word ----

/// Applies `f` to each part of `a` and the same part of `b`, both interpreted as a T.
template <class T, class F>
COALESCE_INLINE unsigned int coalesce_each(unsigned int a, unsigned int b, F f) {
    constexpr int bits = 8 * sizeof(T);
    constexpr unsigned int mask = (1u << bits) - 1;
    unsigned int r = 0;
#pragma unroll
    for (int at = 0; at < 32; at += bits)
        r |= (static_cast<unsigned int>(f(static_cast<int>(static_cast<T>(a >> at & mask)), static_cast<int>(static_cast<T>(b >> at & mask)))) & mask) << at;
    return r;
}
/// Clamps `x` to the range of T.
template <class T>
COALESCE_INLINE int coalesce_saturated(int x) {
    constexpr bool is_signed = static_cast<T>(-1) < 0;
    constexpr int most = is_signed ? (1 << (8 * sizeof(T) - 1)) - 1 : (1 << 8 * sizeof(T)) - 1;
    constexpr int least = is_signed ? -most - 1 : 0;
    return x > most ? most : x < least ? least : x;
}
#define COALESCE_PARTS2(name, type, expression)                                                                  \
    COALESCE_INLINE unsigned int name(unsigned int a, unsigned int b) {                                          \
        return coalesce_each<type>(a, b, [](int x, int y) { return expression; });                               \
    }
#define COALESCE_PARTS1(name, type, expression)                                                                  \
    COALESCE_INLINE unsigned int name(unsigned int a) {                                                          \
        return coalesce_each<type>(a, 0, [](int x, int) { return expression; });                                 \
    }
#define COALESCE_PARTS_SUM(name, type)                                                                           \
    COALESCE_INLINE unsigned int name(unsigned int a, unsigned int b) {                                          \
        constexpr int bits = 8 * sizeof(type);                                                                   \
        unsigned int sum = 0;                                                                                    \
        for (int at = 0; at < 32; at += bits) {                                                                  \
            const int x = static_cast<type>(a >> at), y = static_cast<type>(b >> at);                            \
            sum += static_cast<unsigned int>(x > y ? x - y : y - x);                                             \
        }                                                                                                        \
        return sum;                                                                                              \
    }
/// Defines comparisons of the parts of two words. If a comparison is true, the corresponding part
/// of the result is all ones (cmp) or 1 (set).
#define COALESCE_COMPARISON(n, name, type, operation)                                                            \
    COALESCE_PARTS2(__vcmp##name##n, type, x operation y ? -1 : 0)                                               \
    COALESCE_PARTS2(__vset##name##n, type, x operation y ? 1 : 0)
#define COALESCE_PARTS(n, sig, uns)                                                                              \
    COALESCE_PARTS1(__vabs##n, sig, x < 0 ? -x : x)                                                              \
    COALESCE_PARTS1(__vabsss##n, sig, coalesce_saturated<sig>(x < 0 ? -x : x))                                   \
    COALESCE_PARTS1(__vneg##n, sig, -x)                                                                          \
    COALESCE_PARTS1(__vnegss##n, sig, coalesce_saturated<sig>(-x))                                               \
    COALESCE_PARTS2(__vadd##n, uns, x + y)                                                                       \
    COALESCE_PARTS2(__vaddss##n, sig, coalesce_saturated<sig>(x + y))                                            \
    COALESCE_PARTS2(__vaddus##n, uns, coalesce_saturated<uns>(x + y))                                            \
    COALESCE_PARTS2(__vsub##n, uns, x - y)                                                                       \
    COALESCE_PARTS2(__vsubss##n, sig, coalesce_saturated<sig>(x - y))                                            \
    COALESCE_PARTS2(__vsubus##n, uns, coalesce_saturated<uns>(x - y))                                            \
    COALESCE_PARTS2(__vavgs##n, sig, (x + y + (x + y >= 0)) >> 1)                                                \
    COALESCE_PARTS2(__vavgu##n, uns, (x + y + 1) >> 1)                                                           \
    COALESCE_PARTS2(__vhaddu##n, uns, (x + y) >> 1)                                                              \
    COALESCE_PARTS2(__vabsdiffs##n, sig, x > y ? x - y : y - x)                                                  \
    COALESCE_PARTS2(__vabsdiffu##n, uns, x > y ? x - y : y - x)                                                  \
    COALESCE_PARTS2(__vmaxs##n, sig, x > y ? x : y)                                                              \
    COALESCE_PARTS2(__vmaxu##n, uns, x > y ? x : y)                                                              \
    COALESCE_PARTS2(__vmins##n, sig, x < y ? x : y)                                                              \
    COALESCE_PARTS2(__vminu##n, uns, x < y ? x : y)                                                              \
    COALESCE_PARTS_SUM(__vsads##n, sig)                                                                          \
    COALESCE_PARTS_SUM(__vsadu##n, uns)                                                                          \
    COALESCE_COMPARISON(n, eq, uns, ==)                                                                          \
    COALESCE_COMPARISON(n, ne, uns, !=)                                                                          \
    COALESCE_COMPARISON(n, ges, sig, >=)                                                                         \
    COALESCE_COMPARISON(n, geu, uns, >=)                                                                         \
    COALESCE_COMPARISON(n, gts, sig, >)                                                                          \
    COALESCE_COMPARISON(n, gtu, uns, >)                                                                          \
    COALESCE_COMPARISON(n, les, sig, <=)                                                                         \
    COALESCE_COMPARISON(n, leu, uns, <=)                                                                         \
    COALESCE_COMPARISON(n, lts, sig, <)                                                                          \
    COALESCE_COMPARISON(n, ltu, uns, <)
COALESCE_PARTS(2, short, unsigned short)
COALESCE_PARTS(4, signed char, unsigned char)
#undef COALESCE_PARTS
#undef COALESCE_COMPARISON
#undef COALESCE_PARTS_SUM
#undef COALESCE_PARTS1
#undef COALESCE_PARTS2
#undef COALESCE_INLINE
// clang-format on
