// Allocates CUDA arrays, plain and mipmapped, and returns their properties. See arrays.h.
#include "simulator/addons/textures/cudart/arrays.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "simulator/cudart/capture.h"
#include "simulator/cudart/devices.h"
#include "simulator/cudart/handles.h"
#include "simulator/device/device.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

constexpr unsigned kArrayFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
constexpr size_t kCubeFaces = 6;
constexpr size_t kMaxWidth1D = 131072, kMaxWidth2D = 131072, kMaxHeight2D = 65536,
                 kMaxSize3D = 16384, kMaxLayeredSize = 32768, kMaxLayers = 2048;

auto& arrays() {
    static auto& arrays_by_handle = *new HandleTable<cudaArray_t, cudaArray>;
    return arrays_by_handle;
}

auto& mipmapped_arrays() {
    static auto& all = *new HandleTable<cudaMipmappedArray_t, cudaMipmappedArray>;
    return all;
}

/// Returns `*found`, the array that a lookup of `handle` has found. Fails if `object` is null.
template <class Object>
Object& require_found(Object* object, const Object* handle) {
    if (!object)
        refuse(handle ? "the array does not exist: it was already freed, or never allocated."
                      : "the array is a null pointer.");
    return *object;
}

/// Returns the array with this handle. Fails if there is no such array.
cudaArray& find_live_array(cudaArray_const_t handle) {
    return require_found(find_array(handle), handle);
}
cudaMipmappedArray& find_live_mipmapped_array(const cudaMipmappedArray* handle) {
    return require_found(find_mipmapped_array(handle), handle);
}

// ---- shapes ----

bool is_within(const cudaExtent& e, size_t width, size_t height, size_t depth) {
    return e.width <= width && e.height <= height && e.depth <= depth;
}

/// Derives an array's shape from its extent and flags. Returns false if such an array cannot exist.
bool find_shape(const cudaExtent& e, unsigned flags, ImageShape& shape) {
    const bool is_layered = flags & cudaArrayLayered, is_cube = flags & cudaArrayCubemap;
    if (e.width == 0 || (flags & ~kArrayFlags)) return false;
    shape.is_layered = is_layered;
    shape.is_cube = is_cube;
    shape.dimensions = is_layered || is_cube || e.depth == 0 ? (e.height > 0 ? 2 : 1) : 3;
    if (is_cube)
        return e.width == e.height &&
               (is_layered ? e.depth > 0 && e.depth % kCubeFaces == 0 : e.depth == kCubeFaces) &&
               is_within(e, kMaxLayeredSize, kMaxLayeredSize, kMaxLayers);
    if (is_layered)
        return e.depth > 0 && is_within(e, kMaxLayeredSize, kMaxLayeredSize, kMaxLayers);
    if (shape.dimensions == 3)
        return e.height > 0 && is_within(e, kMaxSize3D, kMaxSize3D, kMaxSize3D);
    return shape.dimensions == 1 ? e.width <= kMaxWidth1D
                                 : is_within(e, kMaxWidth2D, kMaxHeight2D, 0);
}

Image make_image(const TexelFormat& format, const cudaExtent& extent) {
    Image image;
    image.format = format;
    image.width = static_cast<u32>(extent.width);
    image.height = static_cast<u32>(std::max<size_t>(extent.height, 1));
    image.depth = static_cast<u32>(std::max<size_t>(extent.depth, 1));
    image.row_bytes = round_up(u64{image.width} * format.bytes(), kArrayRowAlignment);
    image.slice_bytes = image.row_bytes * image.height;
    return image;
}

// ---- allocation ----

void allocate_array(cudaArray_t* handle, const cudaChannelFormatDesc* description,
                    cudaExtent extent, unsigned flags) {
    require(handle && description);
    cudaArray array{.format = *description, .extent = extent, .flags = flags};
    const TexelFormat format = to_texel_format(*description);
    if (!find_shape(extent, flags, array.shape))
        refuse("an array cannot have " + std::to_string(extent.width) + " x " +
               std::to_string(extent.height) + " x " + std::to_string(extent.depth) +
               " texels with flags " + std::to_string(flags) + ".");
    array.image = make_image(format, extent);
    array.image.address =
        memory().allocate(array.image.slice_bytes * array.image.depth, AllocationKind::array);
    require(array.image.address != 0, cudaErrorMemoryAllocation);
    *handle = arrays().add(std::move(array));
}

void free_found_array(cudaArray& array) {
    memory().free(array.image.address);
    arrays().destroy(&array);
}

void free_array(cudaArray_t handle) {
    cudaArray& array = find_live_array(handle);
    if (array.is_level)
        refuse("the array is a level of a mipmapped array; free the mipmapped array instead.");
    free_found_array(array);
}

// ---- mipmaps ----

/// Returns the size of a mipmap level. The number of layers is the same in every level.
cudaExtent level_extent(const cudaExtent& e, unsigned flags, unsigned level) {
    const auto scale_to_level = [&](size_t size) {
        return size ? std::max<size_t>(size >> level, 1) : 0;
    };
    const bool keeps_depth = flags & (cudaArrayLayered | cudaArrayCubemap);
    return {scale_to_level(e.width), scale_to_level(e.height),
            keeps_depth ? e.depth : scale_to_level(e.depth)};
}

unsigned count_mipmap_levels(const cudaExtent& e, unsigned flags) {
    const bool keeps_depth = flags & (cudaArrayLayered | cudaArrayCubemap);
    return static_cast<unsigned>(
        std::bit_width(std::max({e.width, e.height, keeps_depth ? size_t{0} : e.depth})));
}

void allocate_levels(cudaMipmappedArray_t* handle, const cudaChannelFormatDesc* description,
                     cudaExtent extent, unsigned levels, unsigned flags) {
    require(handle && description && levels > 0);
    cudaMipmappedArray mipmapped_array;
    levels = std::min(levels, count_mipmap_levels(extent, flags));
    try {
        for (unsigned level = 0; level < std::max(levels, 1u); ++level) {
            cudaArray_t array = nullptr;
            allocate_array(&array, description, level_extent(extent, flags, level), flags);
            array->is_level = true;
            mipmapped_array.levels.push_back(array);
        }
    } catch (const Failure&) {
        for (cudaArray* level_to_free : mipmapped_array.levels) free_found_array(*level_to_free);
        throw;
    }
    *handle = mipmapped_arrays().add(std::move(mipmapped_array));
}

void free_levels(cudaMipmappedArray_t handle) {
    cudaMipmappedArray& array = find_live_mipmapped_array(handle);
    for (cudaArray* level : array.levels) free_found_array(*level);
    mipmapped_arrays().destroy(&array);
}

}  // namespace

namespace coalesce::simulator::cudart {

cudaArray* find_array(cudaArray_const_t handle) {
    return arrays().find(const_cast<cudaArray_t>(handle));
}

cudaMipmappedArray* find_mipmapped_array(const cudaMipmappedArray* handle) {
    return mipmapped_arrays().find(const_cast<cudaMipmappedArray_t>(handle));
}

void forget_arrays() {
    arrays().clear();
    mipmapped_arrays().clear();
}

TexelFormat to_texel_format(const cudaChannelFormatDesc& d) {
    if (d.f > cudaChannelFormatKindNone)
        fail_not_simulated("a packed, compressed or normalised channel format");
    const int channel_bits[] = {d.x, d.y, d.z, d.w};
    u32 channels = 0;
    while (channels < 4 && channel_bits[channels] != 0) ++channels;
    bool is_supported = (channels == 1 || channels == 2 || channels == 4) &&
                        d.f != cudaChannelFormatKindNone &&
                        (d.x == 16 || d.x == 32 || (d.x == 8 && d.f != cudaChannelFormatKindFloat));
    for (u32 c = 0; c < 4; ++c)
        is_supported = is_supported && channel_bits[c] == (c < channels ? d.x : 0);
    if (!is_supported)
        refuse(
            "an array must have 1, 2 or 4 channels with the same number of bits: 8, 16 or 32 for "
            "integers, and 16 or 32 for floats.",
            cudaErrorInvalidChannelDescriptor);
    TexelFormat format;
    format.channels = channels;
    format.channel_bytes = static_cast<u32>(d.x) / 8;
    format.kind = d.f == cudaChannelFormatKindSigned     ? ChannelKind::signed_integer
                  : d.f == cudaChannelFormatKindUnsigned ? ChannelKind::unsigned_integer
                                                         : ChannelKind::floating;
    return format;
}

}  // namespace coalesce::simulator::cudart

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                            size_t height, unsigned flags) {
    return run_capture_unsafe_call(__func__, allocate_array, array, format,
                                   cudaExtent{width, height, 0}, flags);
}

COALESCE_BY(run_capture_unsafe_call, cudaMalloc3DArray, allocate_array, 4);
COALESCE_BY(run_capture_unsafe_call, cudaFreeArray, free_array, 1);
COALESCE_BY(run_capture_unsafe_call, cudaMallocMipmappedArray, allocate_levels, 5);
COALESCE_BY(run_capture_unsafe_call, cudaFreeMipmappedArray, free_levels, 1);

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t handle,
                                       unsigned number) {
    return run_device_call(__func__, [&] {
        const std::vector<cudaArray_t>& levels = find_live_mipmapped_array(handle).levels;
        require(number < levels.size());
        store_output(level, levels[number]);
    });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t handle) {
    return run_device_call(__func__, [&] {
        const cudaArray& array = find_live_array(handle);
        if (format) *format = array.format;
        if (extent) *extent = array.extent;
        if (flags) *flags = array.flags;
    });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t handle) {
    return run_device_call(__func__, [&] { store_output(format, find_live_array(handle).format); });
}
