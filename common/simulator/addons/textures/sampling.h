// Computes which texels a fetch reads, and computes the result of the fetch from these texels. The
// choice of texels depends only on the texture object and the coordinates.
//
// Builds on  texture.h. Read next: texture_fetch.cpp, which reads the texels.
#pragma once

#include "simulator/addons/textures/texture.h"

namespace coalesce::simulator {

/// The sum of all weights in a fetch. Each weight is a product of two factors in 256ths: the weight
/// of the mipmap level, and the weight of the texel in that level.
inline constexpr i64 kWholeWeight = i64{kWeightOne} * kWeightOne;

/// One of the texels that a fetch reads, and its weight.
struct Tap {
    const Image* image = nullptr;
    i64 x = 0, y = 0, z = 0;
    u32 weight = kWholeWeight;
    bool is_border = false;  ///< true if the tap has the border's colour instead of a texel

    u64 address() const { return image->texel_address(x, y, z); }
};

/// The maximum number of texels in one fetch: eight in each of two mipmap levels.
inline constexpr u32 kMaxTaps = 16;
struct Taps {
    Tap tap[kMaxTaps];
    u32 count = 0;
};

/// The coordinates of one lane's fetch. `coordinates` contains x, y and z, or a direction vector
/// for a cubemap.
struct FetchPoint {
    float coordinates[3] = {};
    /// Integer coordinates in texels, which are never normalized. They replace `coordinates` if
    /// `is_integer` is true.
    i32 texel[3] = {};
    bool is_integer = false;
    u32 layer = 0;  ///< the layer of a layered texture, clamped to the last layer
    float level = 0;
    /// An offset in texels, which is added to the coordinates before the address mode is applied.
    i32 offset[3] = {};
};

/// Returns the texels that a fetch reads, except those with weight 0.
Taps find_taps(const ImageObject& texture, const FetchPoint& point);
/// Returns the four texels of a gather in the order of the CUDA guide: (i, j + 1), (i + 1, j + 1),
/// (i + 1, j), (i, j).
Taps find_gather_taps(const ImageObject& texture, const FetchPoint& point);

/// Returns the mipmap level for the gradients `dx` and `dy`: the base-2 logarithm of the longer
/// gradient's length in texels. (This is OpenGL's rule; we have not verified it on a GPU.)
float compute_level(const ImageObject& texture, const float* dx, const float* dy);

/// Reports whether fetches return floats. They do if the texels are floats, or if integer texels
/// are converted to floats.
inline bool returns_floats(const ImageObject& texture) {
    return texture.image().format.is_float() || texture.sampling.returns_normalized_integers;
}
/// Returns the result of a fetch. texels[k] points to the bytes of tap k, and is not used if tap k
/// has the border's colour.
///
/// The sums match those of an H100 to the last bit. Each texel is truncated to 28 bits, counted
/// from the leading bit of the largest texel. The products and their sum are exact, and the sum is
/// rounded once, with ties away from 0. Sums of 8-bit and 16-bit texels are rounded to 16 bits, as
/// halves or as integers; for integers, ties are rounded up. (Not verified: negative halves, sRGB,
/// and sums of two levels. For signed bytes, one sum in twenty is off by one in the last bit.)
TexelBits combine_taps(const ImageObject& texture, const Taps& taps, const u8* const* texels);
/// Returns the result of a gather: component `c` of each of the four taps.
TexelBits combine_gathered_taps(const ImageObject& texture, const Taps& taps,
                                const u8* const* texels, u32 c);

}  // namespace coalesce::simulator
