// From a texture coordinate to texels along one dimension: filtering weights and address modes.
//
// Builds on  base/types.h.
// Rules      Those of the appendix "Texture Fetching" of the CUDA C++ Programming Guide:
//            - a point is texel floor(x), of a coordinate in texels (normalised ones times the size);
//            - linear filtering takes texels i and i + 1, i = floor(x - 0.5), and weights with 8 bits behind the
//              point. The guide says for gathers that x - 0.5 is rounded to those bits before its floor is taken:
//              that is done here for both.
//            - out of range: border, clamp, wrap and mirror; the last two for normalised coordinates alone.
// Measured   on an H100, for all 256ths: a half of a 256th is rounded up. The weights of several dimensions
//            (sampling.cpp: corner_weights) are whole 256ths, too, which add up to one: z splits them, then x, then y;
//            of each split one share is rounded and the other gets the rest. Rounded is the upper one of x; and of y
//            the upper one where x is upper, the lower one where x is lower.
// Not verified on a GPU: what a NaN is (0 here).
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Numbered as cudaTextureAddressMode.
enum class AddressMode : u8 { wrap, clamp, mirror, border };

/// Weights are counted in these parts.
inline constexpr u32 kWeightOne = 256;

/// One or two texels of a dimension, before the address mode: `first`, and `first + 1` if `weight` of it is not 0.
struct AxisPosition {
    i64 first = 0;
    u32 weight = 0;  ///< of the second, in 256ths
};

/// `x` counts texels.
AxisPosition point_position(float x);
AxisPosition linear_position(float x);

/// The texel that stands for texel `index` of a dimension of `size`; -1: the border's colour does.
i64 addressed(i64 index, u32 size, AddressMode mode);

/// The face of a cubemap that a direction meets, and where: 0 to 1.
struct CubePosition {
    u32 face = 0;
    float s = 0, t = 0;
};
/// Where two coordinates are the largest, z goes before y before x (not verified).
CubePosition cube_position(float x, float y, float z);

}  // namespace coalesce::simulator
