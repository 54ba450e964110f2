// threadIdx, blockIdx, blockDim and gridDim. Reading a member reads a special register.
#pragma once

#include "coalesce_cuda/vector_types.h"

#define COALESCE_REGISTER(register_name, member)                      \
    static __device__ COALESCE_INLINED unsigned int read_##member() { \
        return __nvvm_read_ptx_sreg_##register_name##_##member();     \
    }                                                                 \
    __declspec(property(get = read_##member)) unsigned int member;
#define COALESCE_VARIABLE(type, name, register_name, converted)  \
    struct type {                                                \
        COALESCE_REGISTER(register_name, x)                      \
        COALESCE_REGISTER(register_name, y)                      \
        COALESCE_REGISTER(register_name, z)                      \
        __device__ COALESCE_INLINED operator converted() const { \
            return {read_x(), read_y(), read_z()};               \
        }                                                        \
        type(const type&) = delete;                              \
        type& operator=(const type&) = delete;                   \
        type* operator&() const = delete;                        \
    };                                                           \
    extern const __device__ __attribute__((weak)) type name;

COALESCE_VARIABLE(coalesce_thread_index, threadIdx, tid, uint3)
COALESCE_VARIABLE(coalesce_block_index, blockIdx, ctaid, uint3)
COALESCE_VARIABLE(coalesce_block_size, blockDim, ntid, dim3)
COALESCE_VARIABLE(coalesce_grid_size, gridDim, nctaid, dim3)
#undef COALESCE_VARIABLE
#undef COALESCE_REGISTER

inline constexpr int warpSize = 32;
