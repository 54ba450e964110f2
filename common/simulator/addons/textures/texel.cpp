// See texel.h.
#include "simulator/addons/textures/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "simulator/base/half.h"

namespace coalesce::simulator {
namespace {

/// Returns the bits of channel `c`, zero-extended.
u32 read_channel(const TexelFormat& format, const u8* bytes, u32 c) {
    u32 bits = 0;
    std::memcpy(&bits, bytes + c * format.channel_bytes, format.channel_bytes);
    return bits;
}

u32 extend_channel(const TexelFormat& format, u32 bits) {
    if (format.is_float())
        return format.channel_bytes == 2 ? std::bit_cast<u32>(to_float(F16{static_cast<u16>(bits)}))
                                         : bits;
    if (format.kind == ChannelKind::unsigned_integer) return bits;
    if (format.channel_bytes == 1) return static_cast<u32>(i32{static_cast<i8>(bits)});
    if (format.channel_bytes == 2) return static_cast<u32>(i32{static_cast<i16>(bits)});
    return bits;
}

float normalize_channel(const TexelFormat& format, u32 bits) {
    if (format.kind == ChannelKind::unsigned_integer)
        return static_cast<float>(bits) / (format.channel_bytes == 1 ? 255.0f : 65535.0f);
    const float value = static_cast<float>(static_cast<i32>(bits));
    return value / (format.channel_bytes == 1 ? 127.0f : 32767.0f);
}

float srgb_to_linear(float value) {
    return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

}  // namespace

TexelBits read_elements(const TexelFormat& format, const u8* bytes) {
    TexelBits elements{0, 0, 0, format.is_float() ? std::bit_cast<u32>(1.0f) : 1u};
    for (u32 c = 0; c < format.channels; ++c)
        elements[c] = extend_channel(format, read_channel(format, bytes, c));
    return elements;
}

TexelNumbers read_numbers(const TexelFormat& format, const u8* bytes, bool uses_srgb) {
    const TexelBits elements = read_elements(format, bytes);
    TexelNumbers numbers{0, 0, 0, 1};
    for (u32 c = 0; c < format.channels; ++c) {
        numbers[c] = format.is_float() ? std::bit_cast<float>(elements[c])
                                       : normalize_channel(format, elements[c]);
        if (uses_srgb && c < 3) numbers[c] = srgb_to_linear(numbers[c]);
    }
    return numbers;
}

void write_elements(const TexelFormat& format, const TexelBits& elements, u8* bytes) {
    for (u32 c = 0; c < format.channels; ++c) {
        u32 bits = elements[c];
        if (format.is_float() && format.channel_bytes == 2)
            bits = to_f16(std::bit_cast<float>(bits)).bits;
        std::memcpy(bytes + c * format.channel_bytes, &bits, format.channel_bytes);
    }
}

}  // namespace coalesce::simulator
