// only with --all: instructions in inline PTX, which every compiler passes on unchanged
// Tests shifts, bit fields, bit counts and permutations, with positions beyond the type's width.
// expect: shl shr: ok
// expect: shf: ok
// expect: popc clz brev: ok
// expect: bfind: ok
// expect: fns: ok
// expect: bfe: ok
// expect: bfi: ok
// expect: szext: ok
// expect: bmsk: ok
// expect: prmt: ok
// expect: prmt by mode: ok
#include "instruction_check.h"

// The host computes the expected results bit by bit.

template <class T>
constexpr u32 kBits = 8 * sizeof(T);
template <class T>
bool bit(T value, u32 index) {
    return static_cast<u64>(value) >> index & 1;
}
/// Returns the value of type T whose bit i is rule(i).
template <class T, class Rule>
T from_bits(Rule rule) {
    u64 result = 0;
    for (u32 i = 0; i < kBits<T>; ++i) result |= u64(rule(i)) << i;
    return static_cast<T>(result);
}

// ---- shifts ----

GROUP("shl shr");
template <class T>
T shifted_left(T a, u32 count) {
    return from_bits<T>([=](u32 i) { return i >= count && bit(a, i - count); });
}
template <class T>
T shifted_right(T a, u32 count) {
    const bool fill = std::is_signed_v<T> && a < 0;
    return from_bits<T>([=](u32 i) {
        return u64(i) + count < kBits<T> ? bit(a, i + count) : fill;
    });
}
#define SHL(T) BINARY("shl." #T " %0, %1, %2;", T, T, u32, shifted_left<T>(a, b));
#define SHR(T) BINARY("shr." #T " %0, %1, %2;", T, T, u32, shifted_right<T>(a, b));
SHL(b16) SHL(b32) SHL(b64)
// The shift distance is a 32-bit operand, but the compiler would truncate a literal to 16 bits.
UNARY("shl.b16 %0, %1, 0x10001;", b16, b16, a << 1);
SHR(b16) SHR(u16) SHR(s16) SHR(b32) SHR(u32) SHR(s32) SHR(b64) SHR(u64) SHR(s64)

GROUP("shf");
/// Shifts the 64-bit value b:a left and returns its upper half (funnel_right: the lower half).
u32 funnel_left(u32 a, u32 b, u32 count) {
    const u64 both = u64(b) << 32 | a;
    return from_bits<u32>([=](u32 i) { return bit(both, 32 + i - count); });
}
u32 funnel_right(u32 a, u32 b, u32 count) {
    const u64 both = u64(b) << 32 | a;
    return from_bits<u32>([=](u32 i) { return bit(both, i + count); });
}
u32 at_most(u32 value, u32 limit) { return value < limit ? value : limit; }
TERNARY("shf.l.wrap.b32 %0, %1, %2, %3;", u32, u32, u32, u32, funnel_left(a, b, c % 32));
TERNARY("shf.r.wrap.b32 %0, %1, %2, %3;", u32, u32, u32, u32, funnel_right(a, b, c % 32));
TERNARY("shf.l.clamp.b32 %0, %1, %2, %3;", u32, u32, u32, u32, funnel_left(a, b, at_most(c, 32)));
TERNARY("shf.r.clamp.b32 %0, %1, %2, %3;", u32, u32, u32, u32, funnel_right(a, b, at_most(c, 32)));

// ---- counting ----

GROUP("popc clz brev");
template <class T>
u32 ones(T a) {
    u32 count = 0;
    for (u32 i = 0; i < kBits<T>; ++i) count += bit(a, i);
    return count;
}
template <class T>
u32 zeros_at_top(T a) {
    u32 count = 0;
    while (count < kBits<T> && !bit(a, kBits<T> - 1 - count)) ++count;
    return count;
}
#define COUNTING(T)                                          \
    UNARY("popc." #T " %0, %1;", u32, T, ones<T>(a));         \
    UNARY("clz." #T " %0, %1;", u32, T, zeros_at_top<T>(a));  \
    UNARY("brev." #T " %0, %1;", T, T,                        \
          from_bits<T>([=](u32 i) { return bit(a, kBits<T> - 1 - i); }));
COUNTING(b32) COUNTING(b64)

GROUP("bfind");
/// Returns the position of the highest bit that differs from the sign bit (0 for unsigned types).
template <class T>
u32 highest(T a) {
    const bool sign = std::is_signed_v<T> && a < 0;
    for (u32 i = kBits<T>; i-- > 0;) {
        if (bit(a, i) != sign) return i;
    }
    return ~0u;
}
template <class T>
u32 shift_amount(T a) {
    return highest(a) == ~0u ? ~0u : kBits<T> - 1 - highest(a);
}
#define BFIND(T)                                             \
    UNARY("bfind." #T " %0, %1;", u32, T, highest<T>(a));     \
    UNARY("bfind.shiftamt." #T " %0, %1;", u32, T, shift_amount<T>(a));
BFIND(s32) BFIND(u32) BFIND(s64) BFIND(u64)

GROUP("fns");
/// Returns the n-th set bit for `base` < 32 and `n` > INT_MIN. PTX leaves other values undefined.
u32 nth_set(u32 mask, u32 base, s32 n) {
    if (n == 0) return bit(mask, base) ? base : ~0u;
    std::vector<u32> set;  // positions of the set bits, in search order
    if (n > 0) {
        for (u32 i = base; i < 32; ++i) {
            if (bit(mask, i)) set.push_back(i);
        }
    } else {
        for (u32 i = base + 1; i-- > 0;) {
            if (bit(mask, i)) set.push_back(i);
        }
    }
    const u64 wanted = n > 0 ? u64(n) : u64(-s64(n));
    return wanted <= set.size() ? set[wanted - 1] : ~0u;
}
#define FNS(make_n, ...)                                                                        \
    TERNARY("{ .reg .b32 base, n; and.b32 base, %2, 31; " make_n " fns.b32 %0, %1, base, n; }", \
            u32, u32, u32, s32, nth_set(a, b & 31, __VA_ARGS__));
FNS("shr.s32 n, %3, 1;", c >> 1) FNS("rem.s32 n, %3, 9;", c % 9)

// ---- bit fields, whose position and length are bytes ----
// According to PTX, only the low bytes of the position and the length count.
// The device ignores the other bytes only in 32-bit instructions, so the
// operands of 64-bit instructions are masked.
#define WITH_BYTES(x, y, what) \
    "{ .reg .b32 p, n; and.b32 p, " x ", 255; and.b32 n, " y ", 255; " what " }"

template <class T>
T extracted(T a, u32 position, u32 length) {
    position &= 0xff, length &= 0xff;
    const u32 top = at_most(position + length - 1, kBits<T> - 1);
    const bool sign = std::is_signed_v<T> && length > 0 && bit(a, top);
    return from_bits<T>([=](u32 i) {
        return i < length && i + position < kBits<T> ? bit(a, i + position) : sign;
    });
}
GROUP("bfe");
#define BFE(T) TERNARY("bfe." #T " %0, %1, %2, %3;", T, T, u32, u32, extracted<T>(a, b, c));
#define BFE64(T)                                                                       \
    TERNARY(WITH_BYTES("%2", "%3", "bfe." #T " %0, %1, p, n;"), T, T, u32, u32, \
            extracted<T>(a, b, c));
BFE(s32) BFE(u32) BFE64(s64) BFE64(u64)

template <class T>
T inserted(T field, T into, u32 position, u32 length) {
    position &= 0xff, length &= 0xff;
    return from_bits<T>([=](u32 i) {
        return i >= position && i - position < length ? bit(field, i - position) : bit(into, i);
    });
}
GROUP("bfi");
QUATERNARY("bfi.b32 %0, %1, %2, %3, %4;", b32, b32, b32, u32, u32, inserted<b32>(a, b, c, e));
QUATERNARY(WITH_BYTES("%3", "%4", "bfi.b64 %0, %1, %2, p, n;"), b64, b64, b64, u32, u32,
           inserted<b64>(a, b, c, e));

GROUP("szext");
template <class T>
T sign_or_zero_extended(T a, u32 length) {
    const bool sign = std::is_signed_v<T> && length > 0 && bit(a, length - 1);
    return from_bits<T>([=](u32 i) { return i < length ? bit(a, i) : sign; });
}
#define SZEXT(T)                                                                                     \
    BINARY("szext.wrap." #T " %0, %1, %2;", T, T, u32, sign_or_zero_extended<T>(a, b % 32)); \
    BINARY("szext.clamp." #T " %0, %1, %2;", T, T, u32, sign_or_zero_extended<T>(a, at_most(b, 32)));
SZEXT(s32) SZEXT(u32)

GROUP("bmsk");
u32 ones_from(u64 position, u64 length) {
    return from_bits<u32>([=](u32 i) { return i >= position && i < position + length; });
}
BINARY("bmsk.wrap.b32 %0, %1, %2;", u32, u32, u32, ones_from(a % 32, b % 32));
BINARY("bmsk.clamp.b32 %0, %1, %2;", u32, u32, u32, ones_from(a, b));

// ---- prmt ----

u32 byte_of(u32 a, u32 b, u32 index) { return (index < 4 ? a : b) >> index % 4 * 8 & 0xff; }

GROUP("prmt");
u32 permuted(u32 a, u32 b, u32 selectors) {
    u32 result = 0;
    for (int i = 0; i < 4; ++i) {
        const u32 selector = selectors >> 4 * i & 0xf;
        u32 byte = byte_of(a, b, selector & 7);
        if (selector & 8) byte = byte >= 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}
TERNARY("prmt.b32 %0, %1, %2, %3;", u32, u32, u32, u32, permuted(a, b, c));
TERNARY("prmt.b32 %0, %1, %2, 0x5410;", u32, u32, u32, u32, (a & 0xffff) | b << 16);
TERNARY("prmt.b32 %0, %1, %2, 0x0123;", u32, u32, u32, u32, a << 24 | (a & 0xff00) << 8 |
                                                              (a >> 8 & 0xff00) | a >> 24);

GROUP("prmt by mode");
/// The selectors for c = 0, 1, 2 and 3. Each hex digit selects the byte of b:a for one result byte.
struct Table {
    u32 selectors[4];
    u32 operator()(u32 a, u32 b, u32 c) const { return permuted(a, b, selectors[c % 4]); }
};
constexpr Table kForward = {{0x3210, 0x4321, 0x5432, 0x6543}};
constexpr Table kBackward = {{0x5670, 0x6701, 0x7012, 0x0123}};
constexpr Table kReplicate8 = {{0x0000, 0x1111, 0x2222, 0x3333}};
constexpr Table kClampLeft = {{0x3210, 0x3211, 0x3222, 0x3333}};
constexpr Table kClampRight = {{0x0000, 0x1110, 0x2210, 0x3210}};
constexpr Table kReplicate16 = {{0x1010, 0x3232, 0x1010, 0x3232}};
#define PRMT(mode, table) \
    TERNARY("prmt.b32." #mode " %0, %1, %2, %3;", u32, u32, u32, u32, table(a, b, c));
PRMT(f4e, kForward) PRMT(b4e, kBackward) PRMT(rc8, kReplicate8)
PRMT(ecl, kClampLeft) PRMT(ecr, kClampRight) PRMT(rc16, kReplicate16)

int main() {
    run_instructions();
}
