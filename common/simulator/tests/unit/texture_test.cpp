// Compares texture fetches with a double-precision implementation of the CUDA guide's formulas.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "simulator/addons/textures/sampling.h"

using namespace coalesce::simulator;

namespace {

/// Maps a coordinate to the range of the texels. The guide describes this for each address mode.
double wrap_source(double x, AddressMode mode) {
    const double whole = std::floor(x), fraction = x - whole;
    if (mode == AddressMode::wrap) return fraction;
    return static_cast<long>(whole) % 2 == 0 ? fraction : 1 - fraction;
}

struct Texels {
    std::vector<float> numbers;
    ImageObject texture;

    Texels(u32 width, u32 height, u32 depth, u32 dimensions, std::mt19937& chance) {
        Image image;
        image.width = width, image.height = height, image.depth = depth;
        image.row_bytes = width * 4;
        image.slice_bytes = image.row_bytes * height;
        for (u32 i = 0; i < width * height * depth; ++i)
            numbers.push_back(std::uniform_real_distribution<float>(-4, 4)(chance));
        texture.shape.dimensions = dimensions;
        texture.levels = {image};
    }
    float fetch(const FetchPoint& point) const {
        const Taps taps = find_taps(texture, point);
        const u8* bytes[kMaxTaps] = {};
        for (u32 k = 0; k < taps.count; ++k)
            if (!taps.tap[k].is_border)
                bytes[k] = reinterpret_cast<const u8*>(numbers.data()) + taps.tap[k].address();
        return std::bit_cast<float>(combine_taps(texture, taps, bytes)[0]);
    }
};

/// A weight that is split into two integers, one for each end of an interval.
struct Split {
    double lower, upper;
};
Split rounding_upper(double part, double weight) {
    const double upper = std::floor(part * weight / 256 + 0.5);
    return {part - upper, upper};
}
Split rounding_lower(double part, double weight) {
    const double lower = std::floor(part * (256 - weight) / 256 + 0.5);
    return {lower, part - lower};
}

/// Returns the weights of the corners, in 256ths.
std::vector<double> corner_weights(const double* x, u32 dimensions) {
    double weight[3] = {};
    for (u32 d = 0; d < dimensions; ++d) {
        const double place = std::floor((x[d] - 0.5) * 256 + 0.5);
        weight[d] = place - std::floor(place / 256) * 256;
    }
    std::vector<double> parts;
    for (const double slice : {256 - weight[2], weight[2]}) {
        const Split row = rounding_upper(slice, weight[0]);
        const Split left = rounding_lower(row.lower, weight[1]);
        const Split right = rounding_upper(row.upper, weight[1]);
        parts.insert(parts.end(), {left.lower, right.lower, left.upper, right.upper});
    }
    parts.resize(std::size_t{1} << dimensions);
    return parts;
}

/// Returns the texel at x, which has integer components. Outside of the texture, the address mode
/// determines the value.
double texel_at(const Texels& all, const double* x, u32 dimensions, double border) {
    const Image& image = all.texture.image();
    const u32 sizes[] = {image.width, image.height, image.depth};
    std::size_t index = 0;
    for (u32 d = dimensions; d-- > 0;) {
        const AddressMode mode = all.texture.sampling.mode[d];
        const double size = sizes[d];
        double place = x[d];
        if (mode == AddressMode::clamp) place = std::fmin(std::fmax(place, 0), size - 1);
        if (mode == AddressMode::wrap || mode == AddressMode::mirror)
            place = std::floor(wrap_source((place + 0.5) / size, mode) * size);
        if (place < 0 || place >= size) return border;
        index = index * sizes[d] + static_cast<std::size_t>(place);
    }
    return all.numbers[index];
}

double reference(const Texels& all, const double* x, u32 dimensions, double border) {
    const std::vector<double> parts = corner_weights(x, dimensions);
    double sum = 0;
    for (u32 corner = 0; corner < parts.size(); ++corner) {
        double at[3] = {};
        for (u32 d = 0; d < dimensions; ++d)
            at[d] = std::floor(std::floor((x[d] - 0.5) * 256 + 0.5) / 256) + (corner >> d & 1);
        if (parts[corner] > 0) sum += parts[corner] / 256 * texel_at(all, at, dimensions, border);
    }
    return sum;
}

}  // namespace

TEST_CASE("weights have 8 bits, and a weight that is rounded up to 1 selects the next texel") {
    CHECK(locate_linear(0.5f).first_texel == 0);
    CHECK(locate_linear(0.5f).weight == 0);
    CHECK(locate_linear(1.25f).first_texel == 0);
    CHECK(locate_linear(1.25f).weight == 192);
    CHECK(locate_linear(0.25f).first_texel == -1);
    CHECK(locate_linear(0.25f).weight == 192);
    // Half a texel is subtracted, so the position is 1.99951. According to the guide, a gather at
    // this coordinate reads texels 2 and 3.
    CHECK(locate_linear(2.49951171875f).first_texel == 2);
    CHECK(locate_linear(2.49951171875f).weight == 0);
    CHECK(locate_linear(0.5f + 1 / 1024.0f).weight == 0);
    CHECK(locate_linear(0.5f + 3 / 1024.0f).weight == 1);
}

TEST_CASE("point sampling selects a texel, even if the coordinate is NaN") {
    CHECK(locate_point(2.999f).first_texel == 2);
    CHECK(locate_point(-0.001f).first_texel == -1);
    CHECK(locate_point(NAN).first_texel == 0);
    CHECK(apply_address_mode(locate_point(INFINITY).first_texel, 7, AddressMode::clamp) == 6);
    CHECK(apply_address_mode(locate_point(-INFINITY).first_texel, 7, AddressMode::border) == -1);
}

TEST_CASE("every address mode maps coordinates as the guide describes") {
    const i64 wanted[][5] = {{-1, 4, 0, 0, -1},  {-5, 0, 0, 4, -1}, {-6, 4, 0, 4, -1},
                             {-11, 4, 0, 0, -1}, {0, 0, 0, 0, 0},   {4, 4, 4, 4, 4},
                             {5, 0, 4, 4, -1},   {9, 4, 4, 0, -1},  {10, 0, 4, 0, -1}};
    for (const auto& row : wanted) {
        CHECK(apply_address_mode(row[0], 5, AddressMode::wrap) == row[1]);
        CHECK(apply_address_mode(row[0], 5, AddressMode::clamp) == row[2]);
        CHECK(apply_address_mode(row[0], 5, AddressMode::mirror) == row[3]);
        CHECK(apply_address_mode(row[0], 5, AddressMode::border) == row[4]);
    }
}

TEST_CASE("random fetches in one to three dimensions agree with the guide's formulas") {
    std::mt19937 chance(3);
    const auto number = [&](float low, float high) {
        return std::uniform_real_distribution<float>(low, high)(chance);
    };
    for (int turn = 0; turn < 600; ++turn) {
        const u32 dimensions = 1 + chance() % 3;
        const auto side = [&](u32 d) { return dimensions > d ? 1 + chance() % 9 : 1; };
        Texels all(side(0), side(1), side(2), dimensions, chance);
        Sampling& how = all.texture.sampling;
        how.uses_linear_filter = true;
        how.has_normalized_coordinates = chance() % 2;
        how.border[0] = 1.5f;
        const u32 modes = how.has_normalized_coordinates ? 4 : 2;
        for (AddressMode& mode : how.mode)
            mode = modes == 4 ? static_cast<AddressMode>(chance() % 4)
                              : (chance() % 2 ? AddressMode::clamp : AddressMode::border);
        const u32 sizes[] = {all.texture.image().width, all.texture.image().height,
                             all.texture.image().depth};
        for (int k = 0; k < 40; ++k) {
            FetchPoint point;
            double x[3] = {};
            for (u32 d = 0; d < dimensions; ++d) {
                const auto size = static_cast<float>(sizes[d]);
                point.coordinates[d] =
                    how.has_normalized_coordinates ? number(-2, 3) : number(-3, size + 3);
                x[d] = how.has_normalized_coordinates ? point.coordinates[d] * size
                                                      : point.coordinates[d];
            }
            CAPTURE(turn);
            CHECK(all.fetch(point) ==
                  doctest::Approx(reference(all, x, dimensions, 1.5)).epsilon(1e-4));
        }
    }
}

TEST_CASE("the comparison with the guide's formulas would detect a wrong weight") {
    std::mt19937 chance(5);
    Texels all(8, 1, 1, 1, chance);
    all.texture.sampling.uses_linear_filter = true;
    FetchPoint point;
    point.coordinates[0] = 3.3f;
    const double beside = 3.3 + 1 / 128.0, here = 3.3f;
    CHECK(all.fetch(point) == doctest::Approx(reference(all, &here, 1, 0)).epsilon(1e-4));
    CHECK(all.fetch(point) != doctest::Approx(reference(all, &beside, 1, 0)).epsilon(1e-4));
}

TEST_CASE("filtering of 8-bit and 16-bit texels has a 16-bit result") {
    const auto filtered = [](ChannelKind kind, u32 bytes, u32 one, u32 other) {
        ImageObject texture;
        texture.shape.dimensions = 1;
        Image image;
        image.format = {kind, 1, bytes};
        image.width = 2;
        texture.levels = {image};
        texture.sampling.uses_linear_filter = texture.sampling.returns_normalized_integers = true;
        const u32 texels[] = {one, other};
        FetchPoint point;
        point.coordinates[0] = 1;  // gives each texel a weight of one half
        const Taps taps = find_taps(texture, point);
        const u8* at[kMaxTaps] = {};
        for (u32 k = 0; k < taps.count; ++k)
            at[k] = reinterpret_cast<const u8*>(&texels[taps.tap[k].x]);
        return double{std::bit_cast<float>(combine_taps(texture, taps, at)[0])};
    };
    // The exact mean, 1 + 0.5 / 1024, is rounded up.
    CHECK(filtered(ChannelKind::floating, 2, 0x3c00, 0x3c01) == 1 + 1 / 1024.0);
    CHECK(filtered(ChannelKind::floating, 2, 0x3c01, 0x3c02) == 1 + 2 / 1024.0);
    CHECK(filtered(ChannelKind::unsigned_integer, 1, 10, 11) * 65535 ==
          doctest::Approx(2699).epsilon(1e-6));
    CHECK(filtered(ChannelKind::signed_integer, 2, 10, 11) * 32767 ==
          doctest::Approx(11).epsilon(1e-6));
}

TEST_CASE("products of weights are rounded") {
    std::mt19937 chance(11);
    Texels all(4, 4, 1, 2, chance);
    all.texture.sampling.uses_linear_filter = true;
    FetchPoint point;
    const auto has_weights = [&](std::initializer_list<u32> weights) {
        const Taps taps = find_taps(all.texture, point);
        return std::equal(weights.begin(), weights.end(), taps.tap, taps.tap + taps.count,
                          [](u32 weight, const Tap& tap) { return weight * 256 == tap.weight; });
    };
    point.coordinates[0] = point.coordinates[1] =
        1 + 1 / 256.0f;  // 129/256 squared is rounded to 65/256
    CHECK(has_weights({63, 64, 64, 65}));
    point.coordinates[0] = 1,
    point.coordinates[1] = 0.5f + 1 / 256.0f;  // exact weights end in .5 (in 256ths)
    CHECK(has_weights({128, 127, 1}));         // one corner has no weight
    point.coordinates[0] = 0.5f + 1 / 256.0f, point.coordinates[1] = 1;
    CHECK(has_weights({128, 127, 1}));
}

TEST_CASE("texels with a weight of 0 are not fetched") {
    std::mt19937 chance(5);
    Texels all(8, 8, 1, 2, chance);
    all.texture.sampling.uses_linear_filter = true;
    FetchPoint point;
    point.coordinates[0] = 3.5f, point.coordinates[1] = 2.75f;
    CHECK(find_taps(all.texture, point).count == 2);
    point.coordinates[0] = 3.25f;
    CHECK(find_taps(all.texture, point).count == 4);
}

TEST_CASE(
    "elements are read and written in their format, and integers are converted to fractions") {
    const TexelFormat bytes{ChannelKind::signed_integer, 2, 1},
        shorts{ChannelKind::unsigned_integer, 1, 2}, half{ChannelKind::floating, 1, 2};
    const u8 minus[] = {0x80, 0x7f}, most[] = {0xff, 0xff}, one_half[] = {0x00, 0x38};
    CHECK(read_elements(bytes, minus)[0] == 0xffffff80u);
    CHECK(read_elements(bytes, minus)[1] == 127);
    CHECK(read_elements(bytes, minus)[2] == 0);
    CHECK(read_elements(bytes, minus)[3] == 1);
    // Values are clamped to -1 only after filtering.
    CHECK(read_numbers(bytes, minus, false)[0] == -128 / 127.0f);
    CHECK(read_numbers(bytes, minus, false)[1] == 1);
    CHECK(read_numbers(shorts, most, false)[0] == 1);
    CHECK(read_numbers(half, one_half, false)[0] == 0.5f);
    const TexelFormat colour{ChannelKind::unsigned_integer, 4, 1};
    const u8 grey[] = {188, 10, 255, 188};
    const TexelNumbers linear = read_numbers(colour, grey, true);
    CHECK(linear[0] == doctest::Approx(0.502886).epsilon(1e-4));
    CHECK(linear[1] == doctest::Approx(10 / 255.0 / 12.92).epsilon(1e-4));
    CHECK(linear[2] == doctest::Approx(1));
    CHECK(linear[3] == doctest::Approx(188 / 255.0));
    u8 written[4] = {};
    write_elements(half, {std::bit_cast<u32>(0.5f), 0, 0, 0}, written);
    CHECK(std::memcmp(written, one_half, 2) == 0);
}

TEST_CASE("a direction selects a face of the cube and a position on it") {
    const float directions[6][3] = {{2, 1, 0.5f},  {-2, 1, 0.5f}, {1, 2, 0.5f},
                                    {1, -2, 0.5f}, {1, 0.5f, 2},  {1, 0.5f, -2}};
    const float places[6][2] = {{0.375f, 0.25f}, {0.625f, 0.25f}, {0.75f, 0.625f},
                                {0.75f, 0.375f}, {0.75f, 0.375f}, {0.25f, 0.375f}};
    for (u32 face = 0; face < 6; ++face) {
        const CubePosition at =
            locate_on_cube(directions[face][0], directions[face][1], directions[face][2]);
        CHECK(at.face == face);
        CHECK(at.s == places[face][0]);
        CHECK(at.t == places[face][1]);
    }
}

TEST_CASE("the handle of a texture object is never reused") {
    const u64 first = add_image_object({.shape = {}, .levels = {Image{}}, .sampling = {}});
    CHECK(find_image_object(first) != nullptr);
    CHECK_FALSE(was_destroyed_image_object(first));
    CHECK_FALSE(remove_image_object(first, true));
    CHECK(remove_image_object(first, false));
    CHECK(find_image_object(first) == nullptr);
    CHECK(was_destroyed_image_object(first));
    CHECK(add_image_object({.shape = {}, .levels = {Image{}}, .sampling = {}}) != first);
    CHECK_FALSE(was_destroyed_image_object(~u64{0}));
}
