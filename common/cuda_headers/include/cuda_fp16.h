// Half precision: the types, conversions and arithmetic that the lessons use.
#pragma once

#include "cuda_runtime.h"

#ifdef __CUDA__
// clang-format off
struct __attribute__((aligned(2))) __half_raw { unsigned short x; };

/// Converts `value` to half precision with the hardware's rounding, and returns the bits. On the
/// host, this is plain C++.
__host__ __device__ inline unsigned short coalesce_half_bits(float value) {
#ifdef __CUDA_ARCH__
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
#else
    return __builtin_bit_cast(unsigned short, static_cast<__fp16>(value));
#endif
}
__host__ __device__ inline float coalesce_half_value(unsigned short bits) {
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#else
    return static_cast<float>(__builtin_bit_cast(__fp16, bits));
#endif
}

struct __attribute__((aligned(2))) __half {
    unsigned short bits;
    __half() = default;
    __host__ __device__ __half(float value) : bits(coalesce_half_bits(value)) {}
    __host__ __device__ __half(double value) : bits(coalesce_half_bits(static_cast<float>(value))) {}
    __host__ __device__ __half(int value) : bits(coalesce_half_bits(static_cast<float>(value))) {}
    __host__ __device__ __half(__half_raw raw) : bits(raw.x) {}
    __host__ __device__ operator float() const { return coalesce_half_value(bits); }
    __host__ __device__ operator __half_raw() const { return {bits}; }
};
using half = __half;
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    __host__ __device__ __half2(__half x, __half y) : x(x), y(y) {}
};
using half2 = __half2;

__host__ __device__ inline __half __float2half(float v) { return __half(v); }
__host__ __device__ inline __half __float2half_rn(float v) { return __half(v); }
__host__ __device__ inline float __half2float(__half v) { return coalesce_half_value(v.bits); }
__host__ __device__ inline unsigned short __half_as_ushort(__half v) { return v.bits; }
__host__ __device__ inline __half __ushort_as_half(unsigned short v) { return __half(__half_raw{v}); }
__host__ __device__ inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
__host__ __device__ inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
__host__ __device__ inline __half2 __half2half2(__half v) { return {v, v}; }
__host__ __device__ inline __half2 __float2half2_rn(float v) { return {__half(v), __half(v)}; }
__host__ __device__ inline __half2 make_half2(__half x, __half y) { return {x, y}; }
__host__ __device__ inline __half __low2half(__half2 v) { return v.x; }
__host__ __device__ inline __half __high2half(__half2 v) { return v.y; }
__host__ __device__ inline float __low2float(__half2 v) { return v.x; }
__host__ __device__ inline float __high2float(__half2 v) { return v.y; }
__host__ __device__ inline float2 __half22float2(__half2 v) { return {v.x, v.y}; }

#define COALESCE_HALF2(name, two, instruction)                                              \
    __device__ inline __half name(__half a, __half b) {                                     \
        unsigned short r;                                                                   \
        asm(instruction ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));           \
        return __ushort_as_half(r);                                                         \
    }                                                                                       \
    __device__ inline __half2 two(__half2 a, __half2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
COALESCE_HALF2(__hadd, __hadd2, "add.rn")
COALESCE_HALF2(__hsub, __hsub2, "sub.rn")
COALESCE_HALF2(__hmul, __hmul2, "mul.rn")
COALESCE_HALF2(__hmin, __hmin2, "min")
COALESCE_HALF2(__hmax, __hmax2, "max")
#undef COALESCE_HALF2
__device__ inline __half __hfma(__half a, __half b, __half c) {
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return __ushort_as_half(r);
}
__device__ inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
__device__ inline __half __hdiv(__half a, __half b) { return __half(static_cast<float>(a) / static_cast<float>(b)); }
__host__ __device__ inline __half __hneg(__half a) { return __ushort_as_half(a.bits ^ 0x8000); }
__host__ __device__ inline __half __habs(__half a) { return __ushort_as_half(a.bits & 0x7fff); }

/// Add `v` to `*p` atomically, and return the old value.
__device__ inline __half atomicAdd(__half* p, __half v) {
    unsigned short old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.bits) : "memory");
    return __ushort_as_half(old);
}
__device__ inline __half2 atomicAdd(__half2* p, __half2 v) {
    unsigned int old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(old) : "l"(p), "r"(__builtin_bit_cast(unsigned int, v)) : "memory");
    return __builtin_bit_cast(__half2, old);
}
// clang-format on
#endif
