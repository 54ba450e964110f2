// Images in device memory, and the texture and surface objects that kernels name by a number.
//
// Builds on  texel.h, addressing.h.
// Layout     The texels of a row follow each other, rows of a slice, and slices (of a 3D array; the layers of a
//            layered one; six faces a cubemap). A row of a CUDA array begins at a multiple of 32 bytes, so that no
//            sector has texels of two rows. A GPU lays arrays out in another, secret way, of which the counters of
//            an H100 show this much: a sector of an array has 16 bytes of each of two rows.
// Trust      A number that a kernel has is only looked up among the objects that there are.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "simulator/addons/textures/addressing.h"
#include "simulator/addons/textures/texel.h"

namespace coalesce::simulator {

/// Rows of arrays begin at multiples of this.
inline constexpr u64 kArrayRowAlignment = 32;

struct Image {
    u64 address = 0;  ///< of its first texel, on the device
    TexelFormat format;
    u32 width = 1, height = 1, depth = 1;  ///< texels; depth: slices, layers, or faces
    u64 row_bytes = 0, slice_bytes = 0;    ///< from one to the next

    u64 address_of(i64 x, i64 y, i64 z) const {
        return address + static_cast<u64>(z) * slice_bytes + static_cast<u64>(y) * row_bytes +
               static_cast<u64>(x) * format.bytes();
    }
};

/// How texels are arranged, apart from their number.
struct ImageShape {
    u32 dimensions = 2;  ///< of a layer
    bool layered = false, cube = false;
    bool operator==(const ImageShape&) const = default;
};
/// "2D layered", for messages.
const char* name_of(const ImageShape& shape);

/// The numbers of a cudaTextureDesc.
struct Sampling {
    AddressMode mode[3] = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    bool linear = false;
    bool normalized_coordinates = false;
    bool normalized_elements = false;  ///< integers are read as floats
    bool srgb = false;
    TexelNumbers border{};
    bool linear_between_levels = false;
    float level_bias = 0, least_level = 0, greatest_level = 0;
};

/// A texture object, or a surface object, which has one level and no sampling.
struct ImageObject {
    bool is_surface = false;
    bool is_array = true;  ///< a CUDA array; else device memory
    ImageShape shape;
    std::vector<Image> levels;  ///< from the largest on
    Sampling sampling;

    const Image& image() const { return levels.front(); }
    /// A number for the sector that a GPU has a texel in, which is here and in that row.
    u64 sector_of(const Image& level, u64 address, i64 row) const {
        if (!is_array) return address & ~u64{31};
        return (address - (row & 1 ? level.row_bytes : 0)) & ~u64{15};
    }
    /// Layers of a layered one; cubes of a layered cubemap.
    u32 layers() const {
        return !shape.layered ? 1 : shape.cube ? image().depth / 6 : image().depth;
    }
};

/// Numbers are given once: what was destroyed is known to be.
u64 add_image_object(ImageObject object);
bool remove_image_object(u64 number, bool is_surface);
/// Nothing when there is none of this number.
std::shared_ptr<const ImageObject> find_image_object(u64 number);
/// Whether there was one, and is no longer.
bool was_image_object(u64 number);
void forget_image_objects();  ///< cudaDeviceReset

}  // namespace coalesce::simulator
