// Fences, loads and stores with cache hints, and address conversions.
#pragma once

#include "coalesce_cuda/vector_types.h"

// clang-format off
__device__ COALESCE_INLINED void __threadfence_block() { __nvvm_membar_cta(); }
__device__ COALESCE_INLINED void __threadfence() { __nvvm_membar_gl(); }
__device__ COALESCE_INLINED void __threadfence_system() { __nvvm_membar_sys(); }

#define COALESCE_CONVERT_ADDRESS(space, ptx)                                      \
    __device__ COALESCE_INLINED size_t __cvta_generic_to_##space(const void* p) {  \
        size_t result;                                                            \
        asm("cvta.to." ptx ".u64 %0, %1;" : "=l"(result) : "l"(p));               \
        return result;                                                            \
    }                                                                             \
    __device__ COALESCE_INLINED void* __cvta_##space##_to_generic(size_t p) {      \
        void* result;                                                             \
        asm("cvta." ptx ".u64 %0, %1;" : "=l"(result) : "l"(p));                  \
        return result;                                                            \
    }
COALESCE_CONVERT_ADDRESS(global, "global")
COALESCE_CONVERT_ADDRESS(shared, "shared")
COALESCE_CONVERT_ADDRESS(local, "local")
COALESCE_CONVERT_ADDRESS(constant, "const")
COALESCE_CONVERT_ADDRESS(grid_constant, "param")
#undef COALESCE_CONVERT_ADDRESS
#define COALESCE_ASK_SPACE(function, space)                                                           \
    __device__ COALESCE_INLINED unsigned int function(const void* p) {                                 \
        unsigned int result;                                                                          \
        asm("{ .reg .pred q; isspacep." space " q, %1; selp.u32 %0, 1, 0, q; }" : "=r"(result) : "l"(p)); \
        return result;                                                                                \
    }
COALESCE_ASK_SPACE(__isGlobal, "global")
COALESCE_ASK_SPACE(__isShared, "shared")
COALESCE_ASK_SPACE(__isConstant, "const")
COALESCE_ASK_SPACE(__isLocal, "local")
#undef COALESCE_ASK_SPACE

// These macros define functions that load one, two or four values. Single bytes are loaded into
// 16-bit registers.
#define COALESCE_LOAD1(function, how, type, ptx, letter, carrier)                                  \
    __device__ COALESCE_INLINED type function(const type* p) {                                      \
        carrier x;                                                                                 \
        asm volatile("ld.global" how "." ptx " %0, [%1];" : "=" letter(x) : "l"(p) : "memory");    \
        return static_cast<type>(x);                                                               \
    }
#define COALESCE_LOAD2(function, how, type, ptx, letter, carrier)                                  \
    __device__ COALESCE_INLINED type function(const type* p) {                                      \
        carrier x, y;                                                                              \
        asm volatile("ld.global" how ".v2." ptx " {%0, %1}, [%2];"                                 \
                     : "=" letter(x), "=" letter(y) : "l"(p) : "memory");                          \
        return {x, y};                                                                             \
    }
#define COALESCE_LOAD4(function, how, type, ptx, letter, carrier)                                  \
    __device__ COALESCE_INLINED type function(const type* p) {                                      \
        carrier x, y, z, w;                                                                        \
        asm volatile("ld.global" how ".v4." ptx " {%0, %1, %2, %3}, [%4];"                         \
                     : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w) : "l"(p) : "memory"); \
        return {x, y, z, w};                                                                       \
    }
#define COALESCE_STORE1(function, how, type, ptx, letter, carrier)                                 \
    __device__ COALESCE_INLINED void function(type* p, type v) {                                    \
        asm volatile("st.global" how "." ptx " [%0], %1;" : : "l"(p), letter(static_cast<carrier>(v)) : "memory"); \
    }
#define COALESCE_STORE2(function, how, type, ptx, letter, carrier)                                 \
    __device__ COALESCE_INLINED void function(type* p, type v) {                                    \
        asm volatile("st.global" how ".v2." ptx " [%0], {%1, %2};" : : "l"(p), letter(v.x), letter(v.y) : "memory"); \
    }
#define COALESCE_STORE4(function, how, type, ptx, letter, carrier)                                 \
    __device__ COALESCE_INLINED void function(type* p, type v) {                                    \
        asm volatile("st.global" how ".v4." ptx " [%0], {%1, %2, %3, %4};"                         \
                     : : "l"(p), letter(v.x), letter(v.y), letter(v.z), letter(v.w) : "memory");   \
    }
#define COALESCE_TYPES(one, two, four, function, how)                                              \
    one(function, how, char, "s8", "r", int)                                                       \
    one(function, how, signed char, "s8", "r", int)                                                \
    one(function, how, unsigned char, "u8", "r", unsigned int)                                     \
    one(function, how, short, "s16", "h", short)                                                   \
    one(function, how, unsigned short, "u16", "h", unsigned short)                                 \
    one(function, how, int, "s32", "r", int)                                                       \
    one(function, how, unsigned int, "u32", "r", unsigned int)                                     \
    one(function, how, long, "s64", "l", long)                                                     \
    one(function, how, unsigned long, "u64", "l", unsigned long)                                   \
    one(function, how, long long, "s64", "l", long long)                                           \
    one(function, how, unsigned long long, "u64", "l", unsigned long long)                         \
    one(function, how, float, "f32", "f", float)                                                   \
    one(function, how, double, "f64", "d", double)                                                 \
    two(function, how, int2, "s32", "r", int)                                                      \
    two(function, how, uint2, "u32", "r", unsigned int)                                            \
    two(function, how, longlong2, "s64", "l", long long)                                           \
    two(function, how, ulonglong2, "u64", "l", unsigned long long)                                 \
    two(function, how, float2, "f32", "f", float)                                                  \
    two(function, how, double2, "f64", "d", double)                                                \
    four(function, how, int4, "s32", "r", int)                                                     \
    four(function, how, uint4, "u32", "r", unsigned int)                                           \
    four(function, how, float4, "f32", "f", float)

#ifdef __CUDA_ARCH__
#define COALESCE_LOADS(function, how) COALESCE_TYPES(COALESCE_LOAD1, COALESCE_LOAD2, COALESCE_LOAD4, function, how)
#define COALESCE_STORES(function, how) COALESCE_TYPES(COALESCE_STORE1, COALESCE_STORE2, COALESCE_STORE4, function, how)
#else  // Host code needs only declarations.
#define COALESCE_LOADED(function, how, type, ptx, letter, carrier) __device__ type function(const type* p);
#define COALESCE_STORED(function, how, type, ptx, letter, carrier) __device__ void function(type* p, type v);
#define COALESCE_LOADS(function, how) COALESCE_TYPES(COALESCE_LOADED, COALESCE_LOADED, COALESCE_LOADED, function, how)
#define COALESCE_STORES(function, how) COALESCE_TYPES(COALESCE_STORED, COALESCE_STORED, COALESCE_STORED, function, how)
#endif
COALESCE_LOADS(__ldg, ".nc")
COALESCE_LOADS(__ldca, ".ca")
COALESCE_LOADS(__ldcg, ".cg")
COALESCE_LOADS(__ldcs, ".cs")
COALESCE_LOADS(__ldlu, ".lu")
COALESCE_LOADS(__ldcv, ".cv")
COALESCE_STORES(__stwb, ".wb")
COALESCE_STORES(__stcg, ".cg")
COALESCE_STORES(__stcs, ".cs")
COALESCE_STORES(__stwt, ".wt")
#undef COALESCE_LOADED
#undef COALESCE_STORED
#undef COALESCE_LOADS
#undef COALESCE_STORES
#undef COALESCE_TYPES
#undef COALESCE_LOAD1
#undef COALESCE_LOAD2
#undef COALESCE_LOAD4
#undef COALESCE_STORE1
#undef COALESCE_STORE2
#undef COALESCE_STORE4
// clang-format on
