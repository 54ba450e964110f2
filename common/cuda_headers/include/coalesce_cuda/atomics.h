// Atomic functions, including their block-scoped (_block) and system-scoped (_system) variants.
#pragma once

#include "coalesce_cuda/vector_types.h"

// clang-format off
#define COALESCE_ATOMIC(name, scope, operation, letters, type, given)                                        \
    __device__ COALESCE_INLINED type name(type* p, type v) {                                                  \
        return static_cast<type>(__nvvm_atom_##scope##operation##_gen_##letters((given*)p, static_cast<given>(v))); \
    }
#define COALESCE_CAS(name, scope, letters, type, given)                                                      \
    __device__ COALESCE_INLINED type name(type* p, type compare, type v) {                                    \
        return static_cast<type>(__nvvm_atom_##scope##cas_gen_##letters((given*)p, static_cast<given>(compare), static_cast<given>(v))); \
    }
#define COALESCE_SCOPE(suffix, scope)                                                    \
    COALESCE_ATOMIC(atomicAdd##suffix, scope, add, i, int, int)                          \
    COALESCE_ATOMIC(atomicAdd##suffix, scope, add, i, unsigned int, int)                 \
    COALESCE_ATOMIC(atomicAdd##suffix, scope, add, ll, unsigned long long, long long)    \
    COALESCE_ATOMIC(atomicAdd##suffix, scope, add, f, float, float)                      \
    COALESCE_ATOMIC(atomicAdd##suffix, scope, add, d, double, double)                    \
    __device__ COALESCE_INLINED int atomicSub##suffix(int* p, int v) { return atomicAdd##suffix(p, -v); } \
    __device__ COALESCE_INLINED unsigned int atomicSub##suffix(unsigned int* p, unsigned int v) { return atomicAdd##suffix(p, 0u - v); } \
    COALESCE_ATOMIC(atomicExch##suffix, scope, xchg, i, int, int)                        \
    COALESCE_ATOMIC(atomicExch##suffix, scope, xchg, i, unsigned int, int)               \
    COALESCE_ATOMIC(atomicExch##suffix, scope, xchg, ll, unsigned long long, long long)  \
    __device__ COALESCE_INLINED float atomicExch##suffix(float* p, float v) {             \
        return __builtin_bit_cast(float, atomicExch##suffix((int*)p, __builtin_bit_cast(int, v))); \
    }                                                                                    \
    COALESCE_ATOMIC(atomicMin##suffix, scope, min, i, int, int)                          \
    COALESCE_ATOMIC(atomicMin##suffix, scope, min, ui, unsigned int, unsigned int)       \
    COALESCE_ATOMIC(atomicMin##suffix, scope, min, ll, long long, long long)             \
    COALESCE_ATOMIC(atomicMin##suffix, scope, min, ull, unsigned long long, unsigned long long) \
    COALESCE_ATOMIC(atomicMax##suffix, scope, max, i, int, int)                          \
    COALESCE_ATOMIC(atomicMax##suffix, scope, max, ui, unsigned int, unsigned int)       \
    COALESCE_ATOMIC(atomicMax##suffix, scope, max, ll, long long, long long)             \
    COALESCE_ATOMIC(atomicMax##suffix, scope, max, ull, unsigned long long, unsigned long long) \
    COALESCE_ATOMIC(atomicAnd##suffix, scope, and, i, int, int)                          \
    COALESCE_ATOMIC(atomicAnd##suffix, scope, and, i, unsigned int, int)                 \
    COALESCE_ATOMIC(atomicAnd##suffix, scope, and, ll, unsigned long long, long long)    \
    COALESCE_ATOMIC(atomicOr##suffix, scope, or, i, int, int)                            \
    COALESCE_ATOMIC(atomicOr##suffix, scope, or, i, unsigned int, int)                   \
    COALESCE_ATOMIC(atomicOr##suffix, scope, or, ll, unsigned long long, long long)      \
    COALESCE_ATOMIC(atomicXor##suffix, scope, xor, i, int, int)                          \
    COALESCE_ATOMIC(atomicXor##suffix, scope, xor, i, unsigned int, int)                 \
    COALESCE_ATOMIC(atomicXor##suffix, scope, xor, ll, unsigned long long, long long)    \
    COALESCE_ATOMIC(atomicInc##suffix, scope, inc, ui, unsigned int, unsigned int)       \
    COALESCE_ATOMIC(atomicDec##suffix, scope, dec, ui, unsigned int, unsigned int)       \
    COALESCE_CAS(atomicCAS##suffix, scope, i, int, int)                                  \
    COALESCE_CAS(atomicCAS##suffix, scope, i, unsigned int, int)                         \
    COALESCE_CAS(atomicCAS##suffix, scope, ll, unsigned long long, long long)
COALESCE_SCOPE(, )
COALESCE_SCOPE(_block, cta_)
COALESCE_SCOPE(_system, sys_)
#undef COALESCE_SCOPE
#undef COALESCE_CAS
#undef COALESCE_ATOMIC
// clang-format on

/// Compares and swaps a 16-bit value. The function is written in PTX, because clang has no built-in
/// function for this operation.
__device__ COALESCE_INLINED unsigned short atomicCAS(unsigned short* p, unsigned short compare,
                                                     unsigned short v) {
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
                 : "=h"(old)
                 : "l"(p), "h"(compare), "h"(v)
                 : "memory");
    return old;
}
