// Device functions shared by the microbenchmarks.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace coalesce::timing {

/// Reads the multiprocessor's cycle counter. Compilers can neither move nor remove the read.
__device__ inline long long cycles_now() {
    long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}
/// Reads the global timer in nanoseconds. Its resolution differs between GPUs (32 to 1000 ns).
__device__ inline long long nanoseconds_now() {
    long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}
__device__ inline unsigned current_multiprocessor() {
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

// ---- uses of loaded values, so that the compiler does not remove the loads ----

__device__ inline unsigned xor_components(unsigned v) {
    return v;
}
__device__ inline unsigned xor_components(uint2 v) {
    return v.x ^ v.y;
}
__device__ inline unsigned xor_components(uint4 v) {
    return v.x ^ v.y ^ v.z ^ v.w;
}
/// Stores `loaded_sum` if it equals one particular value, which is very unlikely. The compiler
/// cannot rule out that the store is needed, so it keeps the loads.
__device__ inline void keep_alive(unsigned loaded_sum, void* unwritten_sink) {
    if (loaded_sum == 0x9e3779b9u) *static_cast<unsigned*>(unwritten_sink) = loaded_sum;
}

/// A word of BYTES bytes, which takes one, two or four registers.
template <int BYTES>
struct WordOfBytes;
template <>
struct WordOfBytes<4> {
    using type = unsigned;
};
template <>
struct WordOfBytes<8> {
    using type = uint2;
};
template <>
struct WordOfBytes<16> {
    using type = uint4;
};
template <int BYTES>
using Word = typename WordOfBytes<BYTES>::type;

template <class T>
__device__ inline T make_word(unsigned v);
template <>
__device__ inline unsigned make_word<unsigned>(unsigned v) {
    return v;
}
template <>
__device__ inline uint2 make_word<uint2>(unsigned v) {
    return {v, v};
}
template <>
__device__ inline uint4 make_word<uint4>(unsigned v) {
    return {v, v, v, v};
}

}  // namespace coalesce::timing
