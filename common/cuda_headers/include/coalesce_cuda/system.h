// The system functions for device code: printf, assert, memory, clocks, traps, and graph
// conditionals.
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "coalesce_cuda/vector_types.h"

// clang-format off
extern "C" {
__device__ int vprintf(const char* format, const char* arguments);
__device__ int printf(const char* format, ...);
__device__ void* malloc(size_t bytes);
__device__ void free(void* pointer);
__device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);
// clang compiles these built-in functions to loops unless it can expand them inline.
__device__ inline void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
__device__ inline void* memmove(void* to, const void* from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
__device__ inline void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
__device__ __attribute__((noreturn)) void __assertfail(const char* expression, const char* file, unsigned int line, const char* function, size_t size);
__device__ inline __attribute__((noreturn)) void __assert_fail(const char* expression, const char* file, unsigned int line, const char* function) noexcept {
    __assertfail(expression, file, line, function, 1);
}
}
// clang's wrapper for the C++ library's header <new> defines new and delete for device code.
#include <new>

__device__ COALESCE_INLINED void __trap() { asm volatile("trap;"); }
__device__ COALESCE_INLINED void __brkpt() { asm volatile("brkpt;"); }
__device__ COALESCE_INLINED void __nanosleep(unsigned int nanoseconds) { asm volatile("nanosleep.u32 %0;" : : "r"(nanoseconds)); }
__device__ COALESCE_INLINED long long clock64() { return static_cast<long long>(__nvvm_read_ptx_sreg_clock64()); }
__device__ COALESCE_INLINED int clock() { return __nvvm_read_ptx_sreg_clock(); }
// clang-format on
