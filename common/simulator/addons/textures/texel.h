// Converts texels between the bytes in a texture or surface and the result of a fetch.
//
// Builds on  base/types.h.
// Watch      If a format has fewer than four channels, the missing channels read as 0. A missing
//            fourth channel reads as 1, as in graphics APIs. CUDA's manuals do not specify these
//            values.
#pragma once

#include <array>

#include "simulator/base/types.h"

namespace coalesce::simulator {

enum class ChannelKind : u8 { signed_integer, unsigned_integer, floating };

/// The format of a texel, which has 1, 2 or 4 channels of 1, 2 or 4 bytes each.
struct TexelFormat {
    ChannelKind kind = ChannelKind::floating;
    u32 channels = 1, channel_bytes = 4;

    u32 bytes() const { return channels * channel_bytes; }
    bool is_float() const { return kind == ChannelKind::floating; }
    bool operator==(const TexelFormat&) const = default;
};

/// The four 32-bit registers that receive the result of a fetch.
using TexelBits = std::array<u32, 4>;
using TexelNumbers = std::array<float, 4>;

/// Returns a texel's channels as 32-bit elements. Integers are sign-extended or zero-extended, and
/// halves become floats.
TexelBits read_elements(const TexelFormat& format, const u8* bytes);
/// Returns a texel's channels as floats. Integers of 8 or 16 bits are normalized
/// (cudaReadModeNormalizedFloat): unsigned ones to [0, 1], signed ones to [-1, 1]. The most
/// negative integer becomes slightly less than -1. With `uses_srgb`, the first three channels are
/// converted from sRGB to linear values.
TexelNumbers read_numbers(const TexelFormat& format, const u8* bytes, bool uses_srgb);
/// Converts 32-bit elements to the bytes of a texel, for sust.p. If the channels have fewer than 32
/// bits, floats are rounded to halves, and integers are truncated.
void write_elements(const TexelFormat& format, const TexelBits& elements, u8* bytes);

}  // namespace coalesce::simulator
