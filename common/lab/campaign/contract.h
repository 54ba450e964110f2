// The contract that every generated kernel satisfies, so that one program can run the kernels of
// all generators.
//
// Each text contains one kernel, named `kernel`, with these parameters:
//    const unsigned* in      kInputWords words: random_input_word() for the kernel's seed
//    unsigned* out           kOutputWordsPerThread words per thread; all bytes are initially
//                            kOutputFillByte
//    unsigned* sums          kSumsArrayWords words, initially zero; changed only by atomics whose
//                            order does not matter
//    unsigned char* scratch  kScratchBytesPerThread bytes per thread, initially zero
//    unsigned seed
//
// The first line is a comment with the launch:
//    // launch GRID_X BLOCK_X BLOCK_Y BLOCK_Z DYNAMIC_SHARED
//
// The kernel's behaviour is fully defined: it reads only memory that was written, has no races and
// no out-of-bounds accesses, and every loop ends. Its results are therefore the same on every
// device.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

namespace coalesce::campaign {

using u32 = unsigned;
using u64 = unsigned long long;

inline constexpr u32 kInputWords = 1024;
inline constexpr u32 kOutputWordsPerThread = 32;
inline constexpr u32 kOutputFillByte = 0xa5;
inline constexpr u32 kSumsArrayWords = 64;
inline constexpr u32 kScratchBytesPerThread = 64;
inline constexpr u32 kMaxBlocks = 6;
inline constexpr u32 kMaxThreadsPerBlock = 256;

/// The exit code of campaign_run if a kernel caused an error on a real GPU. The remaining kernels
/// must then run in a new process.
inline constexpr int kExitAfterGpuError = 3;

struct Launch {
    u32 blocks = 1;
    u32 threads_x = 1, threads_y = 1, threads_z = 1;
    u32 dynamic_shared_bytes = 0;

    u32 threads() const { return threads_x * threads_y * threads_z; }
    u32 total_threads() const { return blocks * threads(); }
};

inline std::string format_launch_line(const Launch& launch) {
    char text[100];
    std::snprintf(text, sizeof text, "// launch %u %u %u %u %u\n", launch.blocks, launch.threads_x,
                  launch.threads_y, launch.threads_z, launch.dynamic_shared_bytes);
    return text;
}

/// Parses the launch in the first line of a kernel's text. Returns nothing if the line is not a
/// launch or exceeds the limits.
inline std::optional<Launch> parse_launch(const std::string& text) {
    Launch l;
    if (std::sscanf(text.c_str(), "// launch %u %u %u %u %u", &l.blocks, &l.threads_x, &l.threads_y,
                    &l.threads_z, &l.dynamic_shared_bytes) != 5)
        return std::nullopt;
    const bool are_sizes_valid = l.threads_x >= 1 && l.threads_x <= kMaxThreadsPerBlock &&
                                 l.threads_y >= 1 && l.threads_y <= kMaxThreadsPerBlock &&
                                 l.threads_z >= 1 && l.threads_z <= 64;
    if (!are_sizes_valid || l.blocks < 1 || l.blocks > kMaxBlocks ||
        l.threads() > kMaxThreadsPerBlock || l.dynamic_shared_bytes > 48 * 1024)
        return std::nullopt;
    return l;
}

inline u64 hash_bits(u64 x) {
    x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/// Returns word `index` of `in`. Three out of four words have random bits. The others are small
/// integers or floats of moderate size.
inline u32 random_input_word(u32 seed, u32 index) {
    const u64 random = hash_bits(u64{seed} << 32 | index);
    const u32 bits = static_cast<u32>(random >> 32);
    switch (random & 7) {
        case 0: return bits & 63;
        case 1: return 0x3f000000u + (bits & 0x80ffffffu);
        default: return bits;
    }
}

}  // namespace coalesce::campaign
