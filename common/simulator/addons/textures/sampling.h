// Computes which texels a fetch reads, and its result: pure functions of an object and coordinates.
//
// Builds on  texture.h. Read next: execute/texture_fetch.cpp, which reads the texels.
#pragma once

#include "simulator/addons/textures/texture.h"

namespace coalesce::simulator {

/// The weights of a fetch add up to this. A level has a weight in 256ths, and each of its texels
/// gets 256ths of that.
inline constexpr i64 kWholeWeight = i64{kWeightOne} * kWeightOne;

/// One texel of a fetch.
struct Tap {
    const Image* image = nullptr;
    i64 x = 0, y = 0, z = 0;
    u32 weight = kWholeWeight;
    bool is_border = false;  ///< it is not a texel, but the border's colour

    u64 address() const { return image->address_of(x, y, z); }
};

/// Eight texels of each of two levels.
inline constexpr u32 kMostTaps = 16;
struct Taps {
    Tap tap[kMostTaps];
    u32 count = 0;
};

/// Where a lane fetches. `at` is x, y and z, or a direction into a cubemap.
struct FetchPoint {
    float at[3] = {};
    /// Used instead of `at` if `is_integer`; counts texels and is never normalised.
    i32 texel[3] = {};
    bool is_integer = false;
    u32 layer = 0;  ///< it is clamped to the existing layers
    float level = 0;
    i32 offset[3] = {};  ///< in texels, added before the address mode is applied
};

/// Texels of weight 0 are left out.
Taps taps_of(const ImageObject& texture, const FetchPoint& point);
/// Returns the four texels of a gather in the order of the CUDA guide: (i, j + 1), (i + 1, j + 1),
/// (i + 1, j), (i, j).
Taps gather_taps_of(const ImageObject& texture, const FetchPoint& point);

/// Returns the level for these gradients: the logarithm of the longer gradient, in texels. (This is
/// OpenGL's rule; it is not verified.)
float level_of_gradients(const ImageObject& texture, const float* dx, const float* dy);

/// Returns whether fetches return floats, because the texels are floats or are read as such.
inline bool gives_numbers(const ImageObject& texture) {
    return texture.image().format.is_float() || texture.sampling.normalized_elements;
}
/// Returns the result of a fetch. The bytes of tap k are at texels[k]; those of a border are not
/// read. Sums equal an H100's to the last bit: the texels lose all bits after the 28th bit of the
/// largest one, the products and their sum are exact, and the sum is rounded once, with a half away
/// from 0. Texels of 8 and 16 bits are computed with 16 bits, as halves or as integers, where a
/// half is rounded up. (Not verified: halves below 0, sRGB, and sums of two levels. For signed
/// bytes, one in twenty sums is off by one last step.)
TexelBits combine(const ImageObject& texture, const Taps& taps, const u8* const* texels);
/// Returns component `c` of each of four taps.
TexelBits gathered(const ImageObject& texture, const Taps& taps, const u8* const* texels, u32 c);

}  // namespace coalesce::simulator
