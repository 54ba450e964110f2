// The operands for comparing the simulator's instructions with a GPU's: first pairs of edge values,
// and then random bits.
#pragma once

#include <stdint.h>

namespace coalesce::hardware {

inline constexpr uint32_t kEdges = 64, kSamples = 2 * kEdges * kEdges;

// Integers near powers of two; floats near 0, 1, halves, and the limits of f16, e4m3, f32 and
// integer types; infinities and NaNs.
inline constexpr uint32_t kEdges32[kEdges] = {
    0,          1,          2,          3,          5,          7,          8,          15,
    16,         17,         23,         24,         25,         31,         32,         33,
    47,         63,         64,         127,        128,        255,        256,        0x7fff,
    0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,   0x7fffffff, 0x80000000, 0x80000001,
    0xffffffff, 0xfffffffe, 0x12345678, 0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000,
    0xc0200000, 0x40490fdb, 0x501502f9, 0x4f000000, 0xcf000000, 0x4f800000, 0x477fe000, 0x477fefff,
    0x477ff000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x33000000,
    0x38800000, 0x387fffff, 0x3f800001, 0x3f7fffff, 0x43e00000, 0x43e80000, 0x9f800000, 0x20000000};
inline constexpr uint16_t kEdges16[kEdges] = {
    0,      1,      2,      3,      7,      8,      15,     16,     17,     31,     32,
    63,     64,     127,    128,    255,    256,    0x7fff, 0x8000, 0x8001, 0xffff, 0xfffe,
    0x1234, 0x03ff, 0x0400, 0x0401, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x3800, 0x3e00, 0x4100,
    0xc100, 0x4248, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe12, 0x83ff, 0x8400,
    0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x3f00, 0x3fc0, 0x4020, 0xc020, 0x4049, 0x7f7f, 0x7f80,
    0xff80, 0x7f81, 0x7fc0, 0x0080, 0x007f, 0x4780, 0x5f00, 0x1400, 0x6bff};
inline constexpr uint64_t kEdges64[kEdges] = {0,
                                              1,
                                              2,
                                              3,
                                              7,
                                              8,
                                              15,
                                              16,
                                              31,
                                              32,
                                              63,
                                              64,
                                              127,
                                              128,
                                              255,
                                              256,
                                              0x7fff,
                                              0xffff,
                                              0x7fffffff,
                                              0x80000000,
                                              0xffffffff,
                                              0x100000000,
                                              0xffffffff80000000,
                                              0xffffffff7fffffff,
                                              0x000fffffffffffff,
                                              0x0010000000000000,
                                              0x0010000000000001,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              0x8000000000000001,
                                              0xffffffffffffffff,
                                              0xfffffffffffffffe,
                                              0x123456789abcdef0,
                                              0x8000000080000000,
                                              0x3ff0000000000000,
                                              0xbff0000000000000,
                                              0x3fe0000000000000,
                                              0x3ff8000000000000,
                                              0x4004000000000000,
                                              0xc004000000000000,
                                              0x400921fb54442d18,
                                              0x41dfffffffc00000,
                                              0x41e0000000000000,
                                              0xc1e0000000200000,
                                              0x41efffffffe00000,
                                              0x43e0000000000000,
                                              0xc3e0000000000000,
                                              0x43f0000000000000,
                                              0x40effc0000000000,
                                              0x40effdffffffffff,
                                              0x40effe0000000000,
                                              0x47efffffe0000000,
                                              0x47effffff0000000,
                                              0x380fffffffffffff,
                                              0x3810000000000000,
                                              0x36a0000000000000,
                                              0x36a8000000000000,
                                              0x3690000000000000,
                                              0x7fefffffffffffff,
                                              0x7ff0000000000000,
                                              0xfff0000000000000,
                                              0x7ff8000000000000,
                                              0x7ff0000000000001,
                                              0xfff8123456789abc};

inline uint64_t mixed(uint64_t x) {
    x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/// Returns the edge value with the given index, for operands of 16, 32 or 64 bits.
inline uint64_t edge(int width, uint32_t index) {
    return width == 64 ? kEdges64[index] : width == 32 ? kEdges32[index] : kEdges16[index];
}

/// Returns sample `i` of a source operand. `position` is 0 for the first source.
inline uint64_t operand(int width, int position, uint32_t i) {
    const uint64_t random = mixed(i * 4 + position);
    const uint64_t bits = mixed(random);
    if (i < kEdges * kEdges) {
        const uint32_t index = position == 0   ? i / kEdges
                               : position == 1 ? i % kEdges
                                               : random % kEdges;
        return edge(width, index);
    }
    // A quarter of the operands are edge values. The others are random bits.
    return random & 3 ? bits : edge(width, bits % kEdges);
}

/// Adds the result of sample `i` to the digest `sum`. Returns the new digest.
inline uint64_t digest(uint64_t sum, uint32_t i, uint64_t result) {
    return sum + mixed(result ^ mixed(i));
}

}  // namespace coalesce::hardware
