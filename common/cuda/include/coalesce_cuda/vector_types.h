// The vector types of CUDA C++: int4, float2 ... and dim3, with make_int4 and so on.
#pragma once

#include "coalesce_cuda/host_defines.h"

// clang-format off

// In device code the types of two and four members are copied member by member, so that clang loads
// and stores each in one instruction, as nvcc does: reinterpret_cast<float4&>(p[i]) and plain copies
// of 16 bytes would otherwise become several. (A float& is aligned to 4 bytes for clang, cast or not.)
#if defined(__CUDA_ARCH__) && defined(__cplusplus)
#define COALESCE_VECTOR2(name, type, bytes)                                                         \
    struct __attribute__((trivial_abi, aligned(bytes))) name {                                      \
        type x, y;                                                                                  \
        name() = default;                                                                           \
        __host__ __device__ COALESCE_INLINED constexpr name(type x, type y) : x(x), y(y) {}                          \
        __host__ __device__ COALESCE_INLINED constexpr name(const name& v) : x(v.x), y(v.y) {}                       \
        __host__ __device__ COALESCE_INLINED constexpr name& operator=(const name& v) {                              \
            type a = v.x, b = v.y;                                                                  \
            x = a; y = b;                                                                           \
            return *this;                                                                           \
        }                                                                                           \
    };
#define COALESCE_VECTOR4(name, type, bytes)                                                         \
    struct __attribute__((trivial_abi, aligned(bytes))) name {                                      \
        type x, y, z, w;                                                                            \
        name() = default;                                                                           \
        __host__ __device__ COALESCE_INLINED constexpr name(type x, type y, type z = 0, type w = 0) : x(x), y(y), z(z), w(w) {} \
        __host__ __device__ COALESCE_INLINED constexpr name(const name& v) : x(v.x), y(v.y), z(v.z), w(v.w) {}       \
        __host__ __device__ COALESCE_INLINED constexpr name& operator=(const name& v) {                              \
            type a = v.x, b = v.y, c = v.z, d = v.w;                                                \
            x = a; y = b; z = c; w = d;                                                             \
            return *this;                                                                           \
        }                                                                                           \
    };
#else
#define COALESCE_VECTOR2(name, type, bytes) struct __attribute__((aligned(bytes))) name { type x, y; };
#define COALESCE_VECTOR4(name, type, bytes) struct __attribute__((aligned(bytes))) name { type x, y, z, w; };
#endif
struct __attribute__((aligned(1))) char1 { signed char x; };
COALESCE_VECTOR2(char2, signed char, 2)
struct __attribute__((aligned(1))) char3 { signed char x, y, z; };
COALESCE_VECTOR4(char4, signed char, 4)
struct __attribute__((aligned(1))) uchar1 { unsigned char x; };
COALESCE_VECTOR2(uchar2, unsigned char, 2)
struct __attribute__((aligned(1))) uchar3 { unsigned char x, y, z; };
COALESCE_VECTOR4(uchar4, unsigned char, 4)
struct __attribute__((aligned(2))) short1 { short x; };
COALESCE_VECTOR2(short2, short, 4)
struct __attribute__((aligned(2))) short3 { short x, y, z; };
COALESCE_VECTOR4(short4, short, 8)
struct __attribute__((aligned(2))) ushort1 { unsigned short x; };
COALESCE_VECTOR2(ushort2, unsigned short, 4)
struct __attribute__((aligned(2))) ushort3 { unsigned short x, y, z; };
COALESCE_VECTOR4(ushort4, unsigned short, 8)
struct __attribute__((aligned(4))) int1 { int x; };
COALESCE_VECTOR2(int2, int, 8)
struct __attribute__((aligned(4))) int3 { int x, y, z; };
COALESCE_VECTOR4(int4, int, 16)
struct __attribute__((aligned(4))) uint1 { unsigned int x; };
COALESCE_VECTOR2(uint2, unsigned int, 8)
struct __attribute__((aligned(4))) uint3 { unsigned int x, y, z; };
COALESCE_VECTOR4(uint4, unsigned int, 16)
struct __attribute__((aligned(4))) float1 { float x; };
COALESCE_VECTOR2(float2, float, 8)
struct __attribute__((aligned(4))) float3 { float x, y, z; };
COALESCE_VECTOR4(float4, float, 16)
struct __attribute__((aligned(8))) long1 { long int x; };
COALESCE_VECTOR2(long2, long int, 16)
struct __attribute__((aligned(8))) long3 { long int x, y, z; };
COALESCE_VECTOR4(long4, long int, 16)
struct __attribute__((aligned(8))) ulong1 { unsigned long int x; };
COALESCE_VECTOR2(ulong2, unsigned long int, 16)
struct __attribute__((aligned(8))) ulong3 { unsigned long int x, y, z; };
COALESCE_VECTOR4(ulong4, unsigned long int, 16)
struct __attribute__((aligned(8))) longlong1 { long long int x; };
COALESCE_VECTOR2(longlong2, long long int, 16)
struct __attribute__((aligned(8))) longlong3 { long long int x, y, z; };
COALESCE_VECTOR4(longlong4, long long int, 16)
struct __attribute__((aligned(8))) ulonglong1 { unsigned long long int x; };
COALESCE_VECTOR2(ulonglong2, unsigned long long int, 16)
struct __attribute__((aligned(8))) ulonglong3 { unsigned long long int x, y, z; };
COALESCE_VECTOR4(ulonglong4, unsigned long long int, 16)
struct __attribute__((aligned(8))) double1 { double x; };
COALESCE_VECTOR2(double2, double, 16)
struct __attribute__((aligned(8))) double3 { double x, y, z; };
COALESCE_VECTOR4(double4, double, 16)
#undef COALESCE_VECTOR2
#undef COALESCE_VECTOR4

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
#endif
};

__host__ __device__ COALESCE_INLINED constexpr char1 make_char1(signed char x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr char2 make_char2(signed char x, signed char y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr char3 make_char3(signed char x, signed char y, signed char z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr char4 make_char4(signed char x, signed char y, signed char z, signed char w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr uchar1 make_uchar1(unsigned char x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr uchar2 make_uchar2(unsigned char x, unsigned char y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr short1 make_short1(short x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr short2 make_short2(short x, short y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr short3 make_short3(short x, short y, short z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr short4 make_short4(short x, short y, short z, short w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr ushort1 make_ushort1(unsigned short x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr ushort2 make_ushort2(unsigned short x, unsigned short y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr ushort3 make_ushort3(unsigned short x, unsigned short y, unsigned short z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr int1 make_int1(int x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr int2 make_int2(int x, int y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr int3 make_int3(int x, int y, int z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr uint1 make_uint1(unsigned int x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr float1 make_float1(float x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr float2 make_float2(float x, float y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr float3 make_float3(float x, float y, float z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr long1 make_long1(long int x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr long2 make_long2(long int x, long int y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr long3 make_long3(long int x, long int y, long int z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr long4 make_long4(long int x, long int y, long int z, long int w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr ulong1 make_ulong1(unsigned long int x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr ulong2 make_ulong2(unsigned long int x, unsigned long int y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr ulong3 make_ulong3(unsigned long int x, unsigned long int y, unsigned long int z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr ulong4 make_ulong4(unsigned long int x, unsigned long int y, unsigned long int z, unsigned long int w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr longlong1 make_longlong1(long long int x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr longlong2 make_longlong2(long long int x, long long int y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr longlong3 make_longlong3(long long int x, long long int y, long long int z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr longlong4 make_longlong4(long long int x, long long int y, long long int z, long long int w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr ulonglong1 make_ulonglong1(unsigned long long int x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr ulonglong2 make_ulonglong2(unsigned long long int x, unsigned long long int y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr ulonglong3 make_ulonglong3(unsigned long long int x, unsigned long long int y, unsigned long long int z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr ulonglong4 make_ulonglong4(unsigned long long int x, unsigned long long int y, unsigned long long int z, unsigned long long int w) { return {x, y, z, w}; }
__host__ __device__ COALESCE_INLINED constexpr double1 make_double1(double x) { return {x}; }
__host__ __device__ COALESCE_INLINED constexpr double2 make_double2(double x, double y) { return {x, y}; }
__host__ __device__ COALESCE_INLINED constexpr double3 make_double3(double x, double y, double z) { return {x, y, z}; }
__host__ __device__ COALESCE_INLINED constexpr double4 make_double4(double x, double y, double z, double w) { return {x, y, z, w}; }
// clang-format on
