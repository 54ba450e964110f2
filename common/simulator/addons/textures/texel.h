// Texels: what lies at one place of a texture or surface, and what a fetch gives of it.
//
// Builds on  base/types.h.
// Watch      Channels that a format has not are given as 0, and the fourth as 1, as graphics interfaces do. CUDA's
//            manuals do not say what they are.
#pragma once

#include <array>

#include "simulator/base/types.h"

namespace coalesce::simulator {

enum class ChannelKind : u8 { signed_integer, unsigned_integer, floating };

/// 1, 2 or 4 channels of 1, 2 or 4 bytes each.
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

/// Integers with their signs or zeros in front, halves as floats.
TexelBits read_elements(const TexelFormat& format, const u8* bytes);
/// Floats as they are. Integers of 8 and 16 bits from 0 to 1, or -1 to 1 (cudaReadModeNormalizedFloat), but the most
/// negative one a little below, since filtering takes it so; `srgb`: the first three channels, of 8 unsigned bits,
/// are in sRGB and become linear.
TexelNumbers read_numbers(const TexelFormat& format, const u8* bytes, bool srgb);
/// The way back, for sust.p: floats are rounded to halves, integers keep their low bits.
void write_elements(const TexelFormat& format, const TexelBits& elements, u8* bytes);

}  // namespace coalesce::simulator
