// The vector types of CUDA C++ (int4, float2 ... and dim3) and their functions (make_int4 ...).
#pragma once

#include "coalesce_cuda/host_defines.h"

// clang-format off

// In device code, types with two and four members are copied member by member. clang combines the
// copies of the members, and loads or stores a whole object with one instruction, as nvcc does.
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
/// Defines the vector types with one to four members of a type, and their make functions. Vectors
/// of four members are aligned to at most 16 bytes.
#define COALESCE_VECTORS(name, type)                                                                 \
    struct __attribute__((aligned(sizeof(type)))) name##1 { type x; };                               \
    COALESCE_VECTOR2(name##2, type, 2 * sizeof(type))                                                \
    struct __attribute__((aligned(sizeof(type)))) name##3 { type x, y, z; };                         \
    COALESCE_VECTOR4(name##4, type, (sizeof(type) < 4 ? 4 * sizeof(type) : 16))                      \
    __host__ __device__ COALESCE_INLINED constexpr name##1 make_##name##1(type x) { return {x}; }    \
    __host__ __device__ COALESCE_INLINED constexpr name##2 make_##name##2(type x, type y) { return {x, y}; } \
    __host__ __device__ COALESCE_INLINED constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
    __host__ __device__ COALESCE_INLINED constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
COALESCE_VECTORS(char, signed char)
COALESCE_VECTORS(uchar, unsigned char)
COALESCE_VECTORS(short, short)
COALESCE_VECTORS(ushort, unsigned short)
COALESCE_VECTORS(int, int)
COALESCE_VECTORS(uint, unsigned int)
COALESCE_VECTORS(float, float)
COALESCE_VECTORS(long, long int)
COALESCE_VECTORS(ulong, unsigned long int)
COALESCE_VECTORS(longlong, long long int)
COALESCE_VECTORS(ulonglong, unsigned long long int)
COALESCE_VECTORS(double, double)
#undef COALESCE_VECTORS
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
// clang-format on
