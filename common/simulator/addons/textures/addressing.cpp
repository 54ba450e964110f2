// See addressing.h.
#include "simulator/addons/textures/addressing.h"

#include <algorithm>
#include <cmath>

namespace coalesce::simulator {
namespace {

/// The limit to which coordinates are clamped, in texels. It is far outside any image, but small
/// enough to avoid overflow.
constexpr double kMaxCoordinate = 1 << 30;

double clamp_coordinate(double x) {
    return std::isnan(x) ? 0 : std::clamp(x, -kMaxCoordinate, kMaxCoordinate);
}

i64 modulo(i64 value, i64 size) {
    const i64 remainder = value % size;
    return remainder < 0 ? remainder + size : remainder;
}

}  // namespace

AxisPosition locate_point(float x) {
    return {static_cast<i64>(std::floor(clamp_coordinate(x))), 0};
}

AxisPosition locate_linear(float x) {
    const double weight_units = std::floor((clamp_coordinate(x) - 0.5) * kWeightOne + 0.5);
    const auto first_texel = static_cast<i64>(std::floor(weight_units / kWeightOne));
    return {first_texel,
            static_cast<u32>(static_cast<i64>(weight_units) - first_texel * kWeightOne)};
}

i64 apply_address_mode(i64 index, u32 size, AddressMode mode) {
    const i64 count = size;
    if (index >= 0 && index < count) return index;
    switch (mode) {
        case AddressMode::wrap: return modulo(index, count);
        case AddressMode::clamp: return index < 0 ? 0 : count - 1;
        case AddressMode::mirror: {
            const i64 mirrored_index = modulo(index, 2 * count);
            return mirrored_index < count ? mirrored_index : 2 * count - 1 - mirrored_index;
        }
        case AddressMode::border: break;
    }
    return -1;
}

CubePosition locate_on_cube(float x, float y, float z) {
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    CubePosition position;
    float largest_coordinate = az, s = z < 0 ? -x : x, t = -y;
    position.face = z < 0 ? 5 : 4;
    if (!(az >= ax && az >= ay)) {
        if (ay >= ax) {
            position.face = y < 0 ? 3 : 2;
            largest_coordinate = ay, s = x, t = y < 0 ? -z : z;
        } else {
            position.face = x < 0 ? 1 : 0;
            largest_coordinate = ax, s = x < 0 ? z : -z, t = -y;
        }
    }
    position.s = (s / largest_coordinate + 1) / 2;
    position.t = (t / largest_coordinate + 1) / 2;
    return position;
}

}  // namespace coalesce::simulator
