// Which texels a fetch takes, and what it makes of them: pure functions of an object and coordinates.
//
// Builds on  texture.h. Read next: execute/texture_fetch.cpp, where the texels are read.
#pragma once

#include "simulator/addons/textures/texture.h"

namespace coalesce::simulator {

/// The weights of a fetch add up to this: 256ths of a level, of which a texel gets 256ths.
inline constexpr i64 kWholeWeight = i64{kWeightOne} * kWeightOne;

/// One texel of a fetch.
struct Tap {
    const Image* image = nullptr;
    i64 x = 0, y = 0, z = 0;
    u32 weight = kWholeWeight;
    bool is_border = false;  ///< it is none, but the border's colour

    u64 address() const { return image->address_of(x, y, z); }
};

/// Eight of each of two levels.
inline constexpr u32 kMostTaps = 16;
struct Taps {
    Tap tap[kMostTaps];
    u32 count = 0;
};

/// Where a lane fetches. `at`: x, y and z, or a direction into a cubemap.
struct FetchPoint {
    float at[3] = {};
    i32 texel[3] = {};  ///< in place of `at`, if `is_integer`: texels, never normalised
    bool is_integer = false;
    u32 layer = 0;  ///< clamped to those that there are
    float level = 0;
    i32 offset[3] = {};  ///< texels, added before the address mode
};

/// Texels of weight 0 are left out.
Taps taps_of(const ImageObject& texture, const FetchPoint& point);
/// The four texels of a gather: (i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j), as the CUDA guide has them.
Taps gather_taps_of(const ImageObject& texture, const FetchPoint& point);

/// The level that gradients ask for: the logarithm of the longer one, in texels. (OpenGL's rule; not verified.)
float level_of_gradients(const ImageObject& texture, const float* dx, const float* dy);

/// Whether fetches give floats: the texels are, or are read so.
inline bool gives_numbers(const ImageObject& texture) {
    return texture.image().format.is_float() || texture.sampling.normalized_elements;
}
/// What is fetched of taps whose bytes are at texels[k] (those of a border are not looked at). Sums are an H100's, to
/// the last bit: texels are cut behind the 28th bit of the greatest, products and their sum are exact, and are rounded
/// once, a half away from 0. Of texels of 8 and 16 bits there are 16 bits: halves, or integers of which a half is
/// rounded upwards. (Not verified: halves below 0, sRGB, and sums of two levels. Signed bytes are a last step off in one of
/// twenty sums.)
TexelBits combine(const ImageObject& texture, const Taps& taps, const u8* const* texels);
/// Component `c` of each of four taps.
TexelBits gathered(const ImageObject& texture, const Taps& taps, const u8* const* texels, u32 c);

}  // namespace coalesce::simulator
