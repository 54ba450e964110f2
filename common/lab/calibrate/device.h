// What kernels here share.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace coalesce::timing {

/// Cycles of this multiprocessor; neither moved nor left out by compilers.
__device__ inline long long cycles_now() {
    long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}
/// Nanoseconds, in steps that differ between GPUs (32 to 1000).
__device__ inline long long nanoseconds_now() {
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}
__device__ inline unsigned multiprocessor_here() {
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

// ---- what is loaded must be used, or compilers leave the load out ----

__device__ inline unsigned mixed(unsigned v) {
    return v;
}
__device__ inline unsigned mixed(uint2 v) {
    return v.x ^ v.y;
}
__device__ inline unsigned mixed(uint4 v) {
    return v.x ^ v.y ^ v.z ^ v.w;
}
/// Hardly ever true of random numbers, and nothing is lost when it is; but no compiler knows that.
__device__ inline void use(unsigned sum, void* sink) {
    if (sum == 0x9e3779b9u) *static_cast<unsigned*>(sink) = sum;
}

/// A word of four, two or one registers.
template <int BYTES>
struct WordOf;
template <>
struct WordOf<4> {
    using type = unsigned;
};
template <>
struct WordOf<8> {
    using type = uint2;
};
template <>
struct WordOf<16> {
    using type = uint4;
};
template <int BYTES>
using Word = typename WordOf<BYTES>::type;

template <class T>
__device__ inline T word_of(unsigned v);
template <>
__device__ inline unsigned word_of<unsigned>(unsigned v) {
    return v;
}
template <>
__device__ inline uint2 word_of<uint2>(unsigned v) {
    return {v, v};
}
template <>
__device__ inline uint4 word_of<uint4>(unsigned v) {
    return {v, v, v, v};
}

}  // namespace coalesce::timing
