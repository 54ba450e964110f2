// Converts texels: from the bytes at one place of a texture or surface to the result of a fetch,
// and back.
//
// Builds on  base/types.h.
// Watch      If a format does not have all four channels, the missing ones are 0, and the fourth
//            is 1, as in graphics interfaces. CUDA's manuals do not say what they are.
#pragma once

#include <array>

#include "simulator/base/types.h"

namespace coalesce::simulator {

enum class ChannelKind : u8 { signed_integer, unsigned_integer, floating };

/// A texel has 1, 2 or 4 channels of 1, 2 or 4 bytes each.
struct TexelFormat {
    ChannelKind kind = ChannelKind::floating;
    u32 channels = 1, channel_bytes = 4;

    u32 bytes() const { return channels * channel_bytes; }
    bool is_float() const { return kind == ChannelKind::floating; }
    bool operator==(const TexelFormat&) const = default;
};

/// The four 32-bit registers that a fetch writes.
using TexelBits = std::array<u32, 4>;
using TexelNumbers = std::array<float, 4>;

/// Integers are extended to 32 bits with their sign or with zeros, and halves become floats.
TexelBits read_elements(const TexelFormat& format, const u8* bytes);
/// Floats stay as they are. Integers of 8 and 16 bits become numbers from 0 to 1, or from -1 to 1
/// (cudaReadModeNormalizedFloat); the most negative integer becomes a little less than -1, since
/// filtering uses it like that. With `srgb`, the first three channels (8 unsigned bits each) are in
/// sRGB and become linear.
TexelNumbers read_numbers(const TexelFormat& format, const u8* bytes, bool srgb);
/// Converts elements back to bytes, for sust.p. Floats are rounded to halves, and integers keep
/// their low bits.
void write_elements(const TexelFormat& format, const TexelBits& elements, u8* bytes);

}  // namespace coalesce::simulator
