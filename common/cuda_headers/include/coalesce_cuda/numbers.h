// Intrinsics for numbers: bits, casts, and arithmetic with an explicit rounding mode.
#pragma once

#include "coalesce_cuda/vector_types.h"

// clang-format off
#define COALESCE_INLINE __device__ COALESCE_INLINED
COALESCE_INLINE int __popc(unsigned int x) { return __builtin_popcount(x); }
COALESCE_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
COALESCE_INLINE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
COALESCE_INLINE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
COALESCE_INLINE int __ffs(int x) { return __builtin_ffs(x); }
COALESCE_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
COALESCE_INLINE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
COALESCE_INLINE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
COALESCE_INLINE int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
COALESCE_INLINE unsigned int __umulhi(unsigned int a, unsigned int b) { return static_cast<unsigned int>((static_cast<unsigned long long>(a) * b) >> 32); }

COALESCE_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
COALESCE_INLINE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
COALESCE_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
COALESCE_INLINE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
COALESCE_INLINE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
COALESCE_INLINE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

COALESCE_INLINE int __double2loint(double x) { return static_cast<int>(__builtin_bit_cast(long long, x)); }
COALESCE_INLINE int __double2hiint(double x) { return static_cast<int>(__builtin_bit_cast(long long, x) >> 32); }
COALESCE_INLINE double __hiloint2double(int high, int low) { return __builtin_bit_cast(double, static_cast<long long>(high) << 32 | static_cast<unsigned int>(low)); }

// These macros define functions that compile to a single instruction. For COALESCE_ROUNDED, `r` is
// the name of the rounding mode in CUDA (such as ru), and `how` its name in PTX (such as rp).
#define COALESCE_FLOAT1(name, ptx, type, letter)                                          \
    COALESCE_INLINE type name(type x) {                                                   \
        type r;                                                                           \
        asm(ptx " %0, %1;" : "=" letter(r) : letter(x));                                  \
        return r;                                                                         \
    }
#define COALESCE_FLOAT2(name, ptx, type, letter)                                          \
    COALESCE_INLINE type name(type x, type y) {                                           \
        type r;                                                                           \
        asm(ptx " %0, %1, %2;" : "=" letter(r) : letter(x), letter(y));                   \
        return r;                                                                         \
    }
#define COALESCE_FLOAT3(name, ptx, type, letter)                                          \
    COALESCE_INLINE type name(type x, type y, type z) {                                   \
        type r;                                                                           \
        asm(ptx " %0, %1, %2, %3;" : "=" letter(r) : letter(x), letter(y), letter(z));    \
        return r;                                                                         \
    }
#define COALESCE_ROUNDED(r, how)                                                          \
    COALESCE_FLOAT2(__fadd_##r, "add." #how ".f32", float, "f")                           \
    COALESCE_FLOAT2(__fsub_##r, "sub." #how ".f32", float, "f")                           \
    COALESCE_FLOAT2(__fmul_##r, "mul." #how ".f32", float, "f")                           \
    COALESCE_FLOAT2(__fdiv_##r, "div." #how ".f32", float, "f")                           \
    COALESCE_FLOAT3(__fmaf_##r, "fma." #how ".f32", float, "f")                           \
    COALESCE_FLOAT1(__fsqrt_##r, "sqrt." #how ".f32", float, "f")                         \
    COALESCE_FLOAT1(__frcp_##r, "rcp." #how ".f32", float, "f")                           \
    COALESCE_FLOAT2(__dadd_##r, "add." #how ".f64", double, "d")                          \
    COALESCE_FLOAT2(__dsub_##r, "sub." #how ".f64", double, "d")                          \
    COALESCE_FLOAT2(__dmul_##r, "mul." #how ".f64", double, "d")                          \
    COALESCE_FLOAT2(__ddiv_##r, "div." #how ".f64", double, "d")                          \
    COALESCE_FLOAT3(__fma_##r, "fma." #how ".f64", double, "d")                           \
    COALESCE_FLOAT1(__dsqrt_##r, "sqrt." #how ".f64", double, "d")
COALESCE_ROUNDED(rn, rn)
COALESCE_ROUNDED(rz, rz)
COALESCE_ROUNDED(ru, rp)
COALESCE_ROUNDED(rd, rm)
COALESCE_FLOAT1(__sinf, "sin.approx.f32", float, "f")
COALESCE_FLOAT1(__cosf, "cos.approx.f32", float, "f")
COALESCE_FLOAT1(__log2f, "lg2.approx.f32", float, "f")
COALESCE_FLOAT1(coalesce_exp2, "ex2.approx.f32", float, "f")
COALESCE_FLOAT1(rsqrtf, "rsqrt.approx.f32", float, "f")
COALESCE_FLOAT2(__fdividef, "div.approx.f32", float, "f")
COALESCE_INLINE float __expf(float x) { return coalesce_exp2(x * 1.4426950408889634f); }
// Computes e^x as 2^n times 2^(r log2(e)), where x = n ln(2) + r and r is small. `n` is clamped,
// because otherwise r would be NaN for an infinite x.
COALESCE_INLINE float expf(float x) {
    float n = __builtin_rintf(x * 1.4426950408889634f);
    n = n < -200 ? -200.0f : (n > 200 ? 200.0f : n);
    const float r = __builtin_fmaf(n, -1.42860677e-06f, __builtin_fmaf(n, -0.693145752f, x));
    return coalesce_exp2(n - 1) * (2 * coalesce_exp2(r * 1.4426950408889634f));
}
COALESCE_INLINE float __logf(float x) { return __log2f(x) * 0.6931471805599453f; }
COALESCE_INLINE float __log10f(float x) { return __log2f(x) * 0.30102999566398120f; }
COALESCE_INLINE float __powf(float x, float y) { return coalesce_exp2(y * __log2f(x)); }
COALESCE_INLINE float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

#define COALESCE_CONVERT(name, ptx, to, to_letter, from, from_letter)                     \
    COALESCE_INLINE to name(from x) {                                                     \
        to r;                                                                             \
        asm(ptx " %0, %1;" : "=" to_letter(r) : from_letter(x));                          \
        return r;                                                                         \
    }
#define COALESCE_CONVERTS(r, how)                                                         \
    COALESCE_CONVERT(__float2int_##r, "cvt." #how "i.s32.f32", int, "r", float, "f")      \
    COALESCE_CONVERT(__float2uint_##r, "cvt." #how "i.u32.f32", unsigned int, "r", float, "f") \
    COALESCE_CONVERT(__double2int_##r, "cvt." #how "i.s32.f64", int, "r", double, "d")    \
    COALESCE_CONVERT(__int2float_##r, "cvt." #how ".f32.s32", float, "f", int, "r")       \
    COALESCE_CONVERT(__uint2float_##r, "cvt." #how ".f32.u32", float, "f", unsigned int, "r") \
    COALESCE_CONVERT(__double2float_##r, "cvt." #how ".f32.f64", float, "f", double, "d")
COALESCE_CONVERTS(rn, rn)
COALESCE_CONVERTS(rz, rz)
COALESCE_CONVERTS(ru, rp)
COALESCE_CONVERTS(rd, rm)
#undef COALESCE_CONVERTS
#undef COALESCE_CONVERT
#undef COALESCE_ROUNDED
#undef COALESCE_FLOAT3
#undef COALESCE_FLOAT2
#undef COALESCE_FLOAT1

// The functions of <math.h> that take one or two instructions. The other functions of <math.h>
// (sinf, exp, pow ...) are available only with the CUDA toolkit. For most lessons the
// approximations above are sufficient.
#define COALESCE_MATH1(name, type, builtin) COALESCE_INLINE type name(type x) { return builtin(x); }
#define COALESCE_MATH2(name, type, builtin) COALESCE_INLINE type name(type x, type y) { return builtin(x, y); }
extern "C++" {
COALESCE_MATH1(fabsf, float, __builtin_fabsf)      COALESCE_MATH1(fabs, double, __builtin_fabs)
COALESCE_MATH1(floorf, float, __builtin_floorf)    COALESCE_MATH1(floor, double, __builtin_floor)
COALESCE_MATH1(ceilf, float, __builtin_ceilf)      COALESCE_MATH1(ceil, double, __builtin_ceil)
COALESCE_MATH1(truncf, float, __builtin_truncf)    COALESCE_MATH1(trunc, double, __builtin_trunc)
COALESCE_MATH1(rintf, float, __builtin_rintf)      COALESCE_MATH1(rint, double, __builtin_rint)
COALESCE_MATH1(sqrtf, float, __fsqrt_rn)           COALESCE_MATH1(sqrt, double, __dsqrt_rn)
COALESCE_MATH2(fminf, float, __builtin_fminf)      COALESCE_MATH2(fmin, double, __builtin_fmin)
COALESCE_MATH2(fmaxf, float, __builtin_fmaxf)      COALESCE_MATH2(fmax, double, __builtin_fmax)
COALESCE_MATH2(copysignf, float, __builtin_copysignf)
COALESCE_INLINE float fmaf(float x, float y, float z) { return __fmaf_rn(x, y, z); }
COALESCE_INLINE double fma(double x, double y, double z) { return __fma_rn(x, y, z); }
// Rounds halves away from zero. The difference x - t is exact.
COALESCE_INLINE float roundf(float x) { const float t = truncf(x); return fabsf(x - t) >= 0.5f ? t + copysignf(1.0f, x) : t; }
COALESCE_INLINE double round(double x) { const double t = trunc(x); return fabs(x - t) >= 0.5 ? t + __builtin_copysign(1.0, x) : t; }
COALESCE_INLINE int abs(int x) { return x < 0 ? -x : x; }
template <class T> __host__ __device__ constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr T max(T a, T b) { return a < b ? b : a; }
__host__ __device__ constexpr unsigned int min(unsigned int a, int b) { return min(a, static_cast<unsigned int>(b)); }
__host__ __device__ constexpr unsigned int min(int a, unsigned int b) { return min(static_cast<unsigned int>(a), b); }
__host__ __device__ constexpr unsigned int max(unsigned int a, int b) { return max(a, static_cast<unsigned int>(b)); }
__host__ __device__ constexpr unsigned int max(int a, unsigned int b) { return max(static_cast<unsigned int>(a), b); }
}
#undef COALESCE_MATH1
#undef COALESCE_MATH2
#undef COALESCE_INLINE
// clang-format on
