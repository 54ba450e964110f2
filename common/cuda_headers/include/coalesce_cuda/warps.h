// Operations that the lanes of a warp perform together (shuffles, votes, matches, reductions), and
// barriers of a block.
#pragma once

#include <stddef.h>
#include <string.h>

#include "coalesce_cuda/vector_types.h"

// clang-format off
// __syncthreads is built into clang.
__device__ COALESCE_INLINED int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
__device__ COALESCE_INLINED int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
__device__ COALESCE_INLINED int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
__device__ COALESCE_INLINED void __syncwarp(unsigned int mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }

__device__ COALESCE_INLINED int __all_sync(unsigned int mask, int p) { return __nvvm_vote_all_sync(mask, p); }
__device__ COALESCE_INLINED int __any_sync(unsigned int mask, int p) { return __nvvm_vote_any_sync(mask, p); }
__device__ COALESCE_INLINED int __uni_sync(unsigned int mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
__device__ COALESCE_INLINED unsigned int __ballot_sync(unsigned int mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
__device__ COALESCE_INLINED unsigned int __activemask() {
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

// Values of at most 4 bytes take one shuffle, and values of 8 bytes take two. The shuffles are written out instead of
// in a loop, so that the simulator records the caller's line as one step.
#define COALESCE_SHUFFLE_WORD(how, i) \
    word[i] = __nvvm_shfl_sync_##how##_i32(mask, word[i], static_cast<int>(lane), segment)
#define COALESCE_SHUFFLE(function, how, argument, low)                                                     \
    template <class T>                                                                                     \
    __device__ COALESCE_INLINED T function(unsigned int mask, T value, argument lane, int width = warpSize) { \
        static_assert(sizeof(T) <= 8, "a shuffle moves values of at most 8 bytes");                        \
        const int segment = ((warpSize - width) << 8) | low;                                               \
        int word[2] = {};                                                                                  \
        __builtin_memcpy(word, &value, sizeof(T));                                                         \
        COALESCE_SHUFFLE_WORD(how, 0);                                                                     \
        if constexpr (sizeof(T) > 4) COALESCE_SHUFFLE_WORD(how, 1);                                        \
        __builtin_memcpy(&value, word, sizeof(T));                                                         \
        return value;                                                                                      \
    }
COALESCE_SHUFFLE(__shfl_sync, idx, int, 0x1f)
COALESCE_SHUFFLE(__shfl_up_sync, up, unsigned int, 0)
COALESCE_SHUFFLE(__shfl_down_sync, down, unsigned int, 0x1f)
COALESCE_SHUFFLE(__shfl_xor_sync, bfly, int, 0x1f)
#undef COALESCE_SHUFFLE
#undef COALESCE_SHUFFLE_WORD

template <class T>
__device__ COALESCE_INLINED unsigned int __match_any_sync(unsigned int mask, T value) {
    if constexpr (sizeof(T) == 8) {
        long long bits; __builtin_memcpy(&bits, &value, 8);
        return static_cast<unsigned int>(__nvvm_match_any_sync_i64(mask, bits));
    } else {
        int bits; __builtin_memcpy(&bits, &value, 4);
        return __nvvm_match_any_sync_i32(mask, bits);
    }
}
template <class T>
__device__ COALESCE_INLINED unsigned int __match_all_sync(unsigned int mask, T value, int* all) {
    if constexpr (sizeof(T) == 8) {
        long long bits; __builtin_memcpy(&bits, &value, 8);
        return static_cast<unsigned int>(__nvvm_match_all_sync_i64p(mask, bits, all));
    } else {
        int bits; __builtin_memcpy(&bits, &value, 4);
        return __nvvm_match_all_sync_i32p(mask, bits, all);
    }
}

#define COALESCE_REDUCE(function, ptx, type)                                                    \
    __device__ COALESCE_INLINED type function(unsigned int mask, type value) {                   \
        type result;                                                                            \
        asm volatile("redux.sync." ptx " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));  \
        return result;                                                                          \
    }
COALESCE_REDUCE(__reduce_add_sync, "add.s32", int)
COALESCE_REDUCE(__reduce_add_sync, "add.u32", unsigned int)
COALESCE_REDUCE(__reduce_min_sync, "min.s32", int)
COALESCE_REDUCE(__reduce_min_sync, "min.u32", unsigned int)
COALESCE_REDUCE(__reduce_max_sync, "max.s32", int)
COALESCE_REDUCE(__reduce_max_sync, "max.u32", unsigned int)
COALESCE_REDUCE(__reduce_and_sync, "and.b32", unsigned int)
COALESCE_REDUCE(__reduce_or_sync, "or.b32", unsigned int)
COALESCE_REDUCE(__reduce_xor_sync, "xor.b32", unsigned int)
#undef COALESCE_REDUCE
// clang-format on
