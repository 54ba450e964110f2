// Converts a texture coordinate to texels along one dimension, with filtering weights and address
// modes.
//
// Builds on  base/types.h.
// Rules      From the appendix "Texture Fetching" of the CUDA C++ Programming Guide:
//            - Point sampling reads texel floor(x), where x is in texels (a normalized coordinate
//              is multiplied by the size).
//            - Linear filtering reads texels i and i + 1, with i = floor(x - 0.5). The weights have
//              8 fractional bits. For gathers, the guide says that x - 0.5 is rounded to 8
//              fractional bits before its floor is taken. This code does so for gathers and for
//              fetches.
//            - Outside the image, the address modes are border, clamp, wrap and mirror. The last
//              two need normalized coordinates.
// Measured   On an H100, for all weights that are multiples of 1/256: a result halfway between two
//            256ths is rounded up. The weights for several dimensions (sampling.cpp:
//            corner_weights) are whole 256ths as well, and their sum is one. The whole weight is
//            split into two parts along z, then each part is split along x, and then along y. In
//            each split, one part is rounded and the other part is the remainder. Along x, the
//            upper part is rounded. Along y, the upper part is rounded for the upper x, and the
//            lower part for the lower x.
// Not verified on a GPU: the texel for a coordinate that is NaN (here, texel 0).
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// The rules by which a texel index outside the image is replaced. The values match
/// cudaTextureAddressMode.
enum class AddressMode : u8 { wrap, clamp, mirror, border };

/// The integer that represents a weight of 1. Weights are multiples of 1/kWeightOne.
inline constexpr u32 kWeightOne = 256;

/// The one or two texels that a fetch reads along a dimension: `first_texel`, and also `first_texel
/// + 1` if `weight` is not 0. The address mode has not been applied to them yet.
struct AxisPosition {
    i64 first_texel = 0;
    u32 weight = 0;  ///< the weight of texel `first_texel + 1`, in 256ths
};

/// Returns the texel for point sampling. `x` is in texels.
AxisPosition locate_point(float x);
AxisPosition locate_linear(float x);

/// Applies the address mode to texel `index` along a dimension of `size` texels. Returns the texel
/// to read, or -1 for the border colour.
i64 apply_address_mode(i64 index, u32 size, AddressMode mode);

/// The point at which a direction vector hits a cubemap: a face, and two coordinates on that face.
/// Each coordinate is from 0 to 1.
struct CubePosition {
    u32 face = 0;
    float s = 0, t = 0;
};
/// Returns the point at which the direction (x, y, z) hits the cubemap. The coordinate with the
/// largest magnitude selects the face. Of equal magnitudes, z takes precedence over y, and y over x
/// (not verified on a GPU).
CubePosition locate_on_cube(float x, float y, float z);

}  // namespace coalesce::simulator
