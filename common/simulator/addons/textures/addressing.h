// Converts a texture coordinate to texels along one dimension, with filtering weights and address
// modes.
//
// Builds on  base/types.h.
// Rules      Those of the appendix "Texture Fetching" of the CUDA C++ Programming Guide:
//            - A point is texel floor(x), where x counts texels (a normalised coordinate is
//              multiplied by the size).
//            - Linear filtering uses texels i and i + 1, i = floor(x - 0.5). The weights have 8
//              bits after the point. For gathers, the guide says that x - 0.5 is rounded to those
//              bits before its floor is taken. The code here does this for both.
//            - Outside the image there are border, clamp, wrap and mirror. The last two need
//              normalised coordinates.
// Measured   On an H100, for all 256ths: a half of a 256th is rounded up. The weights for several
//            dimensions (sampling.cpp: corner_weights) are whole 256ths as well, and their sum is
//            one. The whole weight is split along z, then each part along x, then along y. In each
//            split, one part is rounded and the other is what remains. Along x, the upper part is
//            rounded; along y, the upper part where x is upper, and the lower part where x is
//            lower.
// Not verified on a GPU: which texel a NaN gives (0 here).
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// The numbers are those of cudaTextureAddressMode.
enum class AddressMode : u8 { wrap, clamp, mirror, border };

/// Weights are multiples of 1/kWeightOne.
inline constexpr u32 kWeightOne = 256;

/// One or two texels along a dimension, before the address mode is applied: `first`, and `first +
/// 1` if its `weight` is not 0.
struct AxisPosition {
    i64 first = 0;
    u32 weight = 0;  ///< the weight of the second, in 256ths
};

/// `x` counts texels.
AxisPosition point_position(float x);
AxisPosition linear_position(float x);

/// Returns the texel that replaces texel `index` along a dimension of `size`, or -1 if the border's
/// colour does.
i64 addressed(i64 index, u32 size, AddressMode mode);

/// The face of a cubemap that a direction meets, and the position on it, from 0 to 1.
struct CubePosition {
    u32 face = 0;
    float s = 0, t = 0;
};
/// If two coordinates are equally large, z is preferred to y, and y to x (not verified).
CubePosition cube_position(float x, float y, float z);

}  // namespace coalesce::simulator
