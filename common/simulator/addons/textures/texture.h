// Declares images in device memory, and the texture and surface objects, which kernels identify by
// number.
//
// Builds on  texel.h, addressing.h.
// Layout     The texels of a row are contiguous, followed by the next row of the slice. Slices are
//            contiguous too: the slices of a 3D array, the layers of a layered array, or the six
//            faces of each cubemap. A row of a CUDA array begins at a multiple of 32 bytes, so that
//            no sector contains texels of two rows. On a GPU, the layout of arrays is different,
//            and is not published. The counters of an H100 show only that each sector of an array
//            contains 16 bytes from each of two rows.
// Trust      A number from a kernel is not trusted: it is only used to look up an existing object.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "simulator/addons/textures/addressing.h"
#include "simulator/addons/textures/texel.h"

namespace coalesce::simulator {

/// The alignment of each row of a CUDA array, in bytes.
inline constexpr u64 kArrayRowAlignment = 32;

struct Image {
    u64 address = 0;  ///< the device address of the first texel
    TexelFormat format;
    u32 width = 1, height = 1, depth = 1;  ///< `depth` counts slices, layers or faces
    /// The distances between rows and between slices, in bytes.
    u64 row_bytes = 0, slice_bytes = 0;

    u64 texel_address(i64 x, i64 y, i64 z) const {
        return address + static_cast<u64>(z) * slice_bytes + static_cast<u64>(y) * row_bytes +
               static_cast<u64>(x) * format.bytes();
    }
};

/// The properties of an image that do not depend on its size, such as the number of dimensions.
struct ImageShape {
    u32 dimensions = 2;  ///< the number of dimensions of one layer
    bool is_layered = false, is_cube = false;
    bool operator==(const ImageShape&) const = default;
};
/// Returns a description of the shape for messages, such as "2D layered".
const char* shape_name(const ImageShape& shape);

/// The sampling parameters of a texture object, from its cudaTextureDesc.
struct Sampling {
    AddressMode mode[3] = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    bool uses_linear_filter = false;
    bool has_normalized_coordinates = false;
    bool returns_normalized_integers = false;  ///< true if integers are read as floats
    bool uses_srgb = false;
    TexelNumbers border{};
    bool interpolates_levels = false;
    float level_bias = 0, min_level = 0, max_level = 0;
};

/// A texture object or a surface object. A surface object has one level and no sampling parameters.
struct ImageObject {
    bool is_surface = false;
    bool is_array = true;  ///< true for a CUDA array, false for linear memory
    ImageShape shape;
    std::vector<Image> levels;  ///< the mipmap levels, from the largest to the smallest
    Sampling sampling;

    const Image& image() const { return levels.front(); }
    /// Returns a number that identifies the sector in which a GPU would store a texel. `address`
    /// and `row` are the texel's device address and row in the simulator.
    u64 find_sector(const Image& level, u64 address, i64 row) const {
        if (!is_array) return address & ~u64{31};
        return (address - (row & 1 ? level.row_bytes : 0)) & ~u64{15};
    }
    /// Returns the number of layers, or 1 if the image is not layered. In a layered cubemap, each
    /// cube is a layer.
    u32 layers() const {
        return !shape.is_layered ? 1 : shape.is_cube ? image().depth / 6 : image().depth;
    }
};

/// Registers an object and returns its number. Numbers are never reused, so that uses of destroyed
/// objects are detected.
u64 add_image_object(ImageObject object);
bool remove_image_object(u64 number, bool is_surface);
/// Returns the object with this number, or null if there is none.
std::shared_ptr<const ImageObject> find_image_object(u64 number);
/// Reports whether an object with this number once existed and has been destroyed.
bool was_destroyed_image_object(u64 number);
void forget_image_objects();  ///< destroys all objects, for cudaDeviceReset

}  // namespace coalesce::simulator
