// What every generated kernel keeps to, whoever generates it, so that one program can run them all.
//
// A text holds one kernel, `kernel`, of these parameters:
//     const unsigned* in      kInputWords words, input_word() of the kernel's seed
//     unsigned* out           kOutWords words per thread, kOutFill in every byte before
//     unsigned* sums          kSumWords words, zero before; changed by atomics alone whose order does
//                             not matter
//     unsigned char* scratch  kScratchBytes bytes per thread, zero before
//     unsigned seed
// Its first line is a comment with the launch: `// launch GRID_X BLOCK_X BLOCK_Y BLOCK_Z DYNAMIC_SHARED`.
//
// Everything that it does is defined: nothing is read that was not written, there are no races,
// every loop ends, no access is out of bounds. So the results are the same everywhere.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

namespace coalesce::campaign {

using u32 = unsigned;
using u64 = unsigned long long;

inline constexpr u32 kInputWords = 1024;
inline constexpr u32 kOutWords = 32;
inline constexpr u32 kOutFill = 0xa5;
inline constexpr u32 kSumWords = 64;
inline constexpr u32 kScratchBytes = 64;
inline constexpr u32 kMaxBlocks = 6;
inline constexpr u32 kMaxThreads = 256;

/// What campaign_run ends with behind an error on a GPU: another process has to do the rest.
inline constexpr int kGoOn = 3;

struct Launch {
    u32 blocks = 1;
    u32 threads_x = 1, threads_y = 1, threads_z = 1;
    u32 dynamic_shared = 0;

    u32 threads() const { return threads_x * threads_y * threads_z; }
    u32 all_threads() const { return blocks * threads(); }
};

inline std::string first_line(const Launch& launch) {
    char text[100];
    std::snprintf(text, sizeof text, "// launch %u %u %u %u %u\n", launch.blocks, launch.threads_x,
                  launch.threads_y, launch.threads_z, launch.dynamic_shared);
    return text;
}

/// From a kernel's text; nothing when its first line is not a launch within the limits.
inline std::optional<Launch> launch_of(const std::string& text) {
    Launch l;
    if (std::sscanf(text.c_str(), "// launch %u %u %u %u %u", &l.blocks, &l.threads_x, &l.threads_y,
                    &l.threads_z, &l.dynamic_shared) != 5)
        return std::nullopt;
    const bool sizes = l.threads_x >= 1 && l.threads_x <= kMaxThreads && l.threads_y >= 1 &&
                       l.threads_y <= kMaxThreads && l.threads_z >= 1 && l.threads_z <= 64;
    if (!sizes || l.blocks < 1 || l.blocks > kMaxBlocks || l.threads() > kMaxThreads ||
        l.dynamic_shared > 48 * 1024)
        return std::nullopt;
    return l;
}

inline u64 mixed(u64 x) {
    x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/// Word `index` of `in`: bits at random, and one in four a small number or a float of moderate size.
inline u32 input_word(u32 seed, u32 index) {
    const u64 random = mixed(u64{seed} << 32 | index);
    const u32 bits = static_cast<u32>(random >> 32);
    switch (random & 7) {
        case 0: return bits & 63;
        case 1: return 0x3f000000u + (bits & 0x80ffffffu);
        default: return bits;
    }
}

}  // namespace coalesce::campaign
