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
struct TexelBox {
    AxisPosition axis[3];
    u32 size[3] = {1, 1, 1};
    AddressMode mode[3] = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    u32 dimensions = 1;
    i64 slice = 0;  ///< the layer or face of a layered image or cubemap
};

bool uses_linear_filter(const ImageObject& texture, const FetchPoint& point) {
    return texture.sampling.uses_linear_filter && !point.is_integer;
}

AxisPosition locate_on_axis(const ImageObject& texture, const FetchPoint& point, float coordinate,
                            u32 axis, u32 size, bool is_linear) {
    if (point.is_integer) return {i64{point.texel[axis]} + point.offset[axis], 0};
    const bool is_normalized = texture.sampling.has_normalized_coordinates || texture.shape.is_cube;
    const float x = is_normalized ? coordinate * static_cast<float>(size) : coordinate;
    AxisPosition axis_position = is_linear ? locate_linear(x) : locate_point(x);
    axis_position.first_texel += point.offset[axis];
    return axis_position;
}

TexelBox find_texel_box(const ImageObject& texture, const Image& image, const FetchPoint& point,
                        bool is_linear) {
    TexelBox box;
    box.dimensions = texture.shape.dimensions;
    const u32 image_sizes[3] = {image.width, image.height, image.depth};
    float coordinates[3] = {point.coordinates[0], point.coordinates[1], point.coordinates[2]};
    if (texture.shape.is_layered) box.slice = std::min(point.layer, texture.layers() - 1);
    if (texture.shape.is_cube) {
        const CubePosition cube_position =
            locate_on_cube(coordinates[0], coordinates[1], coordinates[2]);
        coordinates[0] = cube_position.s, coordinates[1] = cube_position.t;
        box.slice = box.slice * kFaces + cube_position.face;
    }
    for (u32 k = 0; k < box.dimensions; ++k) {
        box.size[k] = image_sizes[k];
        if (!texture.shape.is_cube) box.mode[k] = texture.sampling.mode[k];
        box.axis[k] = locate_on_axis(texture, point, coordinates[k], k, image_sizes[k], is_linear);
    }
    return box;
}

/// Returns the texel at a corner of the box. `ends` selects the lower (0) or the upper (1) end of
/// the box in each dimension.
Tap texel_at_corner(const Image& image, const TexelBox& box, const u32* ends) {
    i64 texel_position[3] = {0, 0, box.slice};
    Tap tap{.image = &image};
    for (u32 k = 0; k < box.dimensions; ++k) {
        texel_position[k] =
            apply_address_mode(box.axis[k].first_texel + ends[k], box.size[k], box.mode[k]);
        tap.is_border |= texel_position[k] < 0;
    }
    if (tap.is_border) return tap;
    tap.x = texel_position[0], tap.y = texel_position[1], tap.z = texel_position[2];
    return tap;
}

/// Returns `weight_units` * `weight` / 256, rounded to the nearest integer. Ties are rounded up.
u32 scale_by_weight(u32 weight_units, u32 weight) {
    return (weight_units * weight + kWeightOne / 2) / kWeightOne;
}

/// Returns the weights of the corners in 256ths, which add up to 256. Bit k of a corner's index
/// selects the lower or upper end of dimension k.
std::array<u32, 8> corner_weights(const TexelBox& box) {
    const u32 x = box.axis[0].weight, y = box.axis[1].weight, z = box.axis[2].weight;
    std::array<u32, 8> weights{};
    for (u32 slice_index = 0; slice_index < 2; ++slice_index) {
        const u32 slice_weight = slice_index ? z : kWeightOne - z;
        const u32 right_weight = scale_by_weight(slice_weight, x),
                  left_weight = slice_weight - right_weight;
        const u32 right_below_weight = scale_by_weight(right_weight, y),
                  left_above_weight = scale_by_weight(left_weight, kWeightOne - y);
        u32* slice_weights = weights.data() + 4 * slice_index;
        slice_weights[0] = left_above_weight, slice_weights[1] = right_weight - right_below_weight;
        slice_weights[2] = left_weight - left_above_weight, slice_weights[3] = right_below_weight;
    }
    return weights;
}

/// Adds the texels of one level to `taps`. `weight` is the weight of the level in 256ths.
void add_level_taps(const ImageObject& texture, const Image& image, const FetchPoint& point,
                    u32 weight, Taps& taps) {
    if (weight == 0) return;
    const TexelBox box = find_texel_box(texture, image, point, uses_linear_filter(texture, point));
    const std::array<u32, 8> weights = corner_weights(box);
    for (u32 corner = 0; corner < 1u << box.dimensions; ++corner) {
        if (weights[corner] == 0) continue;
        const u32 ends[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        Tap tap = texel_at_corner(image, box, ends);
        tap.weight = weight * weights[corner];
        taps.tap[taps.count++] = tap;
    }
}

TexelNumbers read_tap(const ImageObject& texture, const Tap& tap, const u8* texel) {
    if (tap.is_border) return texture.sampling.border;
    return read_numbers(tap.image->format, texel, texture.sampling.uses_srgb);
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
    const TexelNumbers* texel_numbers;
    u32 channel;

    float channel_value(u32 k) const { return texel_numbers[k][channel]; }
    i64 tap_weight(u32 k) const { return taps.tap[k].weight; }
    float sum_floats(u32 bits) const;
    float sum_quantized(float steps) const;
};

/// Rounds `sum` to `bits` significant bits. Ties are rounded away from 0.
u64 round_to_bits(u64 sum, u32 bits) {
    const auto length = static_cast<u32>(std::bit_width(sum));
    if (length <= bits) return sum;
    const u64 half_unit = u64{1} << (length - bits - 1);
    return (sum + half_unit) / (2 * half_unit) * (2 * half_unit);
}

/// Sums floats as an H100 does: each value is truncated to 28 bits, counted from the leading bit of
/// the largest value. The products with the weights, and their sum, are exact. The sum is rounded
/// once.
float WeightedSum::sum_floats(u32 bits) const {
    constexpr int kKeptBits = 28;
    double unrounded_sum = 0;
    float largest_magnitude = 0;
    for (u32 k = 0; k < taps.count; ++k) {
        unrounded_sum += static_cast<double>(tap_weight(k)) * double{channel_value(k)};
        largest_magnitude = std::max(largest_magnitude, std::fabs(channel_value(k)));
    }
    if (largest_magnitude == 0 || !std::isfinite(unrounded_sum))
        return static_cast<float>(unrounded_sum);
    const int shift = kKeptBits - 1 - std::ilogb(largest_magnitude);
    const double scale = std::ldexp(1.0, shift);
    i64 sum = 0;
    for (u32 k = 0; k < taps.count; ++k)
        sum += tap_weight(k) * static_cast<i64>(double{channel_value(k)} * scale);
    const auto size = static_cast<double>(round_to_bits(static_cast<u64>(std::abs(sum)), bits));
    return static_cast<float>(std::ldexp(sum < 0 ? -size : size, -shift) / kWholeWeight);
}

/// Sums the values of normalized integer texels. A value n is represented by the integer n *
/// `steps`. The sum is rounded to a multiple of 1 / `steps`, and ties are rounded up.
float WeightedSum::sum_quantized(float steps) const {
    i64 sum = kWholeWeight / 2;
    for (u32 k = 0; k < taps.count; ++k)
        sum += tap_weight(k) * std::llround(channel_value(k) * steps);
    const i64 rounded_sum = sum >= 0 ? sum / kWholeWeight : (sum + 1) / kWholeWeight - 1;
    return std::max(static_cast<float>(rounded_sum) / steps, -1.0f);
}

/// Returns the filtered value of a channel. If the texels have at most 16 bits per channel, the
/// result has the precision of a half or of a 16-bit integer.
float filter_texels(const ImageObject& texture, const WeightedSum& sum) {
    const TexelFormat& format = texture.image().format;
    if (format.channel_bytes == 4 || texture.sampling.uses_srgb) return sum.sum_floats(kFloatBits);
    switch (format.kind) {
        case ChannelKind::unsigned_integer: return sum.sum_quantized(65535);
        case ChannelKind::signed_integer: return sum.sum_quantized(32767);
        case ChannelKind::floating: break;
    }
    return to_float(to_f16(sum.sum_floats(kHalfBits)));
}

}  // namespace

Taps find_taps(const ImageObject& texture, const FetchPoint& point) {
    const Sampling& sampling = texture.sampling;
    Taps taps;
    const auto last_level = static_cast<float>(texture.levels.size() - 1);
    float level = last_level == 0 ? 0 : point.level + sampling.level_bias;
    if (last_level != 0) level = std::clamp(level, sampling.min_level, sampling.max_level);
    level = std::isnan(level) ? 0 : std::clamp(level, 0.0f, last_level);
    if (!sampling.interpolates_levels) level = std::floor(level + 0.5f);
    const auto lower_level = static_cast<std::size_t>(level);
    const auto upper_level_weight =
        static_cast<u32>(std::floor((level - std::floor(level)) * kWeightOne + 0.5f));
    add_level_taps(texture, texture.levels[lower_level], point, kWeightOne - upper_level_weight,
                   taps);
    if (lower_level + 1 < texture.levels.size())
        add_level_taps(texture, texture.levels[lower_level + 1], point, upper_level_weight, taps);
    return taps;
}

Taps find_gather_taps(const ImageObject& texture, const FetchPoint& point) {
    constexpr u32 kGatherEnds[4][3] = {{0, 1, 0}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}};
    const Image& image = texture.image();
    const TexelBox box = find_texel_box(texture, image, point, true);
    Taps taps;
    for (const u32(&end)[3] : kGatherEnds)
        taps.tap[taps.count++] = texel_at_corner(image, box, end);
    return taps;
}

float compute_level(const ImageObject& texture, const float* dx, const float* dy) {
    const Image& image = texture.image();
    const float sizes[3] = {static_cast<float>(image.width), static_cast<float>(image.height),
                            static_cast<float>(image.depth)};
    float along_x = 0, along_y = 0;
    for (u32 k = 0; k < (texture.shape.is_cube ? 3 : texture.shape.dimensions); ++k) {
        const float size = texture.shape.is_cube ? sizes[0] / 2 : sizes[k];
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
