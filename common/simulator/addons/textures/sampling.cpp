// Implements sampling.h.
#include "simulator/addons/textures/sampling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "simulator/base/half.h"

namespace coalesce::simulator {
namespace {

constexpr u32 kFaces = 6;

/// The texels that a fetch reads along each dimension of one mipmap level.
struct Box {
    AxisPosition axis[3];
    u32 size[3] = {1, 1, 1};
    AddressMode mode[3] = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    u32 dimensions = 1;
    i64 slice = 0;  ///< the layer or face of a layered image or cubemap
};

bool is_linear(const ImageObject& texture, const FetchPoint& point) {
    return texture.sampling.linear && !point.is_integer;
}

AxisPosition position(const ImageObject& texture, const FetchPoint& point, float coordinate,
                      u32 axis, u32 size, bool linear) {
    if (point.is_integer) return {i64{point.texel[axis]} + point.offset[axis], 0};
    const bool normalized = texture.sampling.normalized_coordinates || texture.shape.cube;
    const float x = normalized ? coordinate * static_cast<float>(size) : coordinate;
    AxisPosition at = linear ? locate_linear(x) : locate_point(x);
    at.first += point.offset[axis];
    return at;
}

Box box_of(const ImageObject& texture, const Image& image, const FetchPoint& point, bool linear) {
    Box box;
    box.dimensions = texture.shape.dimensions;
    const u32 sizes[3] = {image.width, image.height, image.depth};
    float at[3] = {point.coordinates[0], point.coordinates[1], point.coordinates[2]};
    if (texture.shape.layered) box.slice = std::min(point.layer, texture.layers() - 1);
    if (texture.shape.cube) {
        const CubePosition cube = locate_on_cube(at[0], at[1], at[2]);
        at[0] = cube.s, at[1] = cube.t;
        box.slice = box.slice * kFaces + cube.face;
    }
    for (u32 k = 0; k < box.dimensions; ++k) {
        box.size[k] = sizes[k];
        if (!texture.shape.cube) box.mode[k] = texture.sampling.mode[k];
        box.axis[k] = position(texture, point, at[k], k, sizes[k], linear);
    }
    return box;
}

/// Returns the texel at a corner of the box. `end` selects the lower (0) or the upper (1) end of
/// the box in each dimension.
Tap texel_at_corner(const Image& image, const Box& box, const u32* end) {
    i64 place[3] = {0, 0, box.slice};
    Tap tap{.image = &image};
    for (u32 k = 0; k < box.dimensions; ++k) {
        place[k] = apply_address_mode(box.axis[k].first + end[k], box.size[k], box.mode[k]);
        tap.is_border |= place[k] < 0;
    }
    if (tap.is_border) return tap;
    tap.x = place[0], tap.y = place[1], tap.z = place[2];
    return tap;
}

/// Returns `parts` * `weight` / 256, rounded to the nearest integer. Ties are rounded up.
u32 scale_by_weight(u32 parts, u32 weight) {
    return (parts * weight + kWeightOne / 2) / kWeightOne;
}

/// Returns the weights of the corners in 256ths, which add up to 256. Bit k of a corner's index
/// selects the lower or upper end of dimension k.
std::array<u32, 8> corner_weights(const Box& box) {
    const u32 x = box.axis[0].weight, y = box.axis[1].weight, z = box.axis[2].weight;
    std::array<u32, 8> weights{};
    for (u32 behind = 0; behind < 2; ++behind) {
        const u32 slice = behind ? z : kWeightOne - z;
        const u32 right = scale_by_weight(slice, x), left = slice - right;
        const u32 right_below = scale_by_weight(right, y),
                  left_above = scale_by_weight(left, kWeightOne - y);
        u32* of_slice = weights.data() + 4 * behind;
        of_slice[0] = left_above, of_slice[1] = right - right_below;
        of_slice[2] = left - left_above, of_slice[3] = right_below;
    }
    return weights;
}

/// Adds the texels of one level to `taps`. `weight` is the weight of the level in 256ths.
void add_taps_of_level(const ImageObject& texture, const Image& image, const FetchPoint& point,
                       u32 weight, Taps& taps) {
    if (weight == 0) return;
    const Box box = box_of(texture, image, point, is_linear(texture, point));
    const std::array<u32, 8> weights = corner_weights(box);
    for (u32 corner = 0; corner < 1u << box.dimensions; ++corner) {
        if (weights[corner] == 0) continue;
        const u32 end[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        Tap tap = texel_at_corner(image, box, end);
        tap.weight = weight * weights[corner];
        taps.tap[taps.count++] = tap;
    }
}

TexelNumbers read_tap(const ImageObject& texture, const Tap& tap, const u8* texel) {
    if (tap.is_border) return texture.sampling.border;
    return read_numbers(tap.image->format, texel, texture.sampling.srgb);
}

/// Returns a texel's channels as an unfiltered fetch returns them. Signed channels are clamped to
/// at least -1.
TexelNumbers read_unfiltered_tap(const ImageObject& texture, const Tap& tap, const u8* texel) {
    TexelNumbers numbers = read_tap(texture, tap, texel);
    const bool is_signed = texture.image().format.kind == ChannelKind::signed_integer;
    for (float& number : numbers) number = is_signed ? std::max(number, -1.0f) : number;
    return numbers;
}

/// Returns a texel's elements without normalizing them. In an integer texture, the border colour is
/// truncated to integers.
TexelBits read_raw_tap(const ImageObject& texture, const Tap& tap, const u8* texel) {
    if (!tap.is_border) return read_elements(tap.image->format, texel);
    TexelBits bits;
    for (u32 c = 0; c < bits.size(); ++c)
        bits[c] = static_cast<u32>(static_cast<i32>(texture.sampling.border[c]));
    return bits;
}

// ---- sums ----

constexpr u32 kFloatBits = 24, kHalfBits = 11;

/// The weighted sum of one channel over several texels. The weights add up to kWholeWeight.
struct WeightedSum {
    const Taps& taps;
    const TexelNumbers* numbers;
    u32 channel;

    float number(u32 k) const { return numbers[k][channel]; }
    i64 weight(u32 k) const { return taps.tap[k].weight; }
    float sum_floats(u32 bits) const;
    float sum_quantized(float steps) const;
};

/// Rounds `sum` to `bits` significant bits. Ties are rounded away from 0.
u64 round_to_bits(u64 sum, u32 bits) {
    const auto length = static_cast<u32>(std::bit_width(sum));
    if (length <= bits) return sum;
    const u64 half = u64{1} << (length - bits - 1);
    return (sum + half) / (2 * half) * (2 * half);
}

/// Sums floats as an H100 does: each value is truncated to 28 bits, counted from the leading bit of
/// the largest value. The products with the weights, and their sum, are exact. The sum is rounded
/// once.
float WeightedSum::sum_floats(u32 bits) const {
    constexpr int kKept = 28;
    double plain = 0;
    float greatest = 0;
    for (u32 k = 0; k < taps.count; ++k) {
        plain += static_cast<double>(weight(k)) * double{number(k)};
        greatest = std::max(greatest, std::fabs(number(k)));
    }
    if (greatest == 0 || !std::isfinite(plain)) return static_cast<float>(plain);
    const int shift = kKept - 1 - std::ilogb(greatest);
    const double scale = std::ldexp(1.0, shift);
    i64 sum = 0;
    for (u32 k = 0; k < taps.count; ++k)
        sum += weight(k) * static_cast<i64>(double{number(k)} * scale);
    const auto size = static_cast<double>(round_to_bits(static_cast<u64>(std::abs(sum)), bits));
    return static_cast<float>(std::ldexp(sum < 0 ? -size : size, -shift) / kWholeWeight);
}

/// Sums the values of normalized integer texels. A value n is represented by the integer n *
/// `steps`. The sum is rounded to a multiple of 1 / `steps`, and ties are rounded up.
float WeightedSum::sum_quantized(float steps) const {
    i64 sum = kWholeWeight / 2;
    for (u32 k = 0; k < taps.count; ++k) sum += weight(k) * std::llround(number(k) * steps);
    const i64 whole = sum >= 0 ? sum / kWholeWeight : (sum + 1) / kWholeWeight - 1;
    return std::max(static_cast<float>(whole) / steps, -1.0f);
}

/// Returns the filtered value of a channel. If the texels have at most 16 bits per channel, the
/// result has the precision of a half or of a 16-bit integer.
float filter_texels(const ImageObject& texture, const WeightedSum& sum) {
    const TexelFormat& format = texture.image().format;
    if (format.channel_bytes == 4 || texture.sampling.srgb) return sum.sum_floats(kFloatBits);
    switch (format.kind) {
        case ChannelKind::unsigned_integer: return sum.sum_quantized(65535);
        case ChannelKind::signed_integer: return sum.sum_quantized(32767);
        case ChannelKind::floating: break;
    }
    return to_float(to_f16(sum.sum_floats(kHalfBits)));
}

}  // namespace

Taps find_taps(const ImageObject& texture, const FetchPoint& point) {
    const Sampling& how = texture.sampling;
    Taps taps;
    const auto last = static_cast<float>(texture.levels.size() - 1);
    float level = last == 0 ? 0 : point.level + how.level_bias;
    if (last != 0) level = std::clamp(level, how.min_level, how.max_level);
    level = std::isnan(level) ? 0 : std::clamp(level, 0.0f, last);
    if (!how.linear_between_levels) level = std::floor(level + 0.5f);
    const auto first = static_cast<std::size_t>(level);
    const auto upper =
        static_cast<u32>(std::floor((level - std::floor(level)) * kWeightOne + 0.5f));
    add_taps_of_level(texture, texture.levels[first], point, kWeightOne - upper, taps);
    if (first + 1 < texture.levels.size())
        add_taps_of_level(texture, texture.levels[first + 1], point, upper, taps);
    return taps;
}

Taps find_gather_taps(const ImageObject& texture, const FetchPoint& point) {
    constexpr u32 kEnds[4][3] = {{0, 1, 0}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}};
    const Image& image = texture.image();
    const Box box = box_of(texture, image, point, true);
    Taps taps;
    for (const u32(&end)[3] : kEnds) taps.tap[taps.count++] = texel_at_corner(image, box, end);
    return taps;
}

float compute_level(const ImageObject& texture, const float* dx, const float* dy) {
    const Image& image = texture.image();
    const float sizes[3] = {static_cast<float>(image.width), static_cast<float>(image.height),
                            static_cast<float>(image.depth)};
    float along_x = 0, along_y = 0;
    for (u32 k = 0; k < (texture.shape.cube ? 3 : texture.shape.dimensions); ++k) {
        const float size = texture.shape.cube ? sizes[0] / 2 : sizes[k];
        along_x += dx[k] * size * (dx[k] * size);
        along_y += dy[k] * size * (dy[k] * size);
    }
    const float longest = std::max(along_x, along_y);
    return longest > 0 ? std::log2(longest) / 2 : texture.sampling.min_level;
}

TexelBits combine_taps(const ImageObject& texture, const Taps& taps, const u8* const* texels) {
    if (!returns_floats(texture)) return read_raw_tap(texture, taps.tap[0], texels[0]);
    if (taps.count == 1)
        return std::bit_cast<TexelBits>(read_unfiltered_tap(texture, taps.tap[0], texels[0]));
    TexelNumbers numbers[kMaxTaps], result;
    for (u32 k = 0; k < taps.count; ++k) numbers[k] = read_tap(texture, taps.tap[k], texels[k]);
    for (u32 c = 0; c < result.size(); ++c) result[c] = filter_texels(texture, {taps, numbers, c});
    return std::bit_cast<TexelBits>(result);
}

TexelBits combine_gathered_taps(const ImageObject& texture, const Taps& taps,
                                const u8* const* texels, u32 c) {
    TexelBits bits;
    for (u32 k = 0; k < bits.size(); ++k)
        bits[k] = returns_floats(texture)
                      ? std::bit_cast<u32>(read_unfiltered_tap(texture, taps.tap[k], texels[k])[c])
                      : read_raw_tap(texture, taps.tap[k], texels[k])[c];
    return bits;
}

}  // namespace coalesce::simulator
