// Implements texture and surface objects: checks their descriptions, registers them for kernels
// (addons/textures/texture.h), and returns their descriptions to the program.
#include <map>
#include <mutex>

#include "simulator/addons/textures/cudart/arrays.h"
#include "simulator/cudart/addons.h"
#include "simulator/cudart/capture.h"
#include "simulator/cudart/devices.h"
#include "simulator/device/device.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

constexpr u64 kPointerAlignment = 512, kTexturePitchAlignment = 32;
constexpr size_t kMaxLinearTexels = size_t{1} << 28;

struct ObjectDescription {
    cudaResourceDesc resource{};
    cudaTextureDesc texture{};
    bool is_surface = false;
};

struct ObjectDescriptions {
    std::mutex mutex;
    std::map<u64, ObjectDescription> descriptions_by_number;
};
ObjectDescriptions& descriptions() {
    static ObjectDescriptions& instance = *new ObjectDescriptions;
    return instance;
}

// ---- resources ----

/// Uses `rows` rows of device memory as the image of `object`.
void set_image(const void* pointer, const TexelFormat& format, u64 width, u64 rows, u64 pitch,
               ImageObject& object) {
    Image image;
    image.format = format;
    image.address = reinterpret_cast<u64>(pointer);
    image.width = static_cast<u32>(width);
    image.height = static_cast<u32>(rows);
    image.row_bytes = pitch;
    image.slice_bytes = pitch * rows;
    require(width > 0 && rows > 0);
    if (image.address % kPointerAlignment != 0)
        refuse("the memory of a texture must begin at a multiple of 512 bytes.");
    const u64 bytes = pitch * (rows - 1) + width * image.format.bytes();
    const auto allocation = memory().find(image.address);
    if (!allocation || !allocation->contains(image.address, bytes))
        refuse("the " + std::to_string(bytes) +
               " bytes of the texture are not all in one device allocation.");
    object.is_array = false;
    object.levels = {image};
}

void set_linear_image(const cudaResourceDesc& resource, ImageObject& object) {
    const auto& linear_memory = resource.res.linear;
    const TexelFormat format = to_texel_format(linear_memory.desc);
    const size_t width = linear_memory.sizeInBytes / format.bytes();
    if (width > kMaxLinearTexels) refuse("a linear texture can have at most 2^28 texels.");
    object.shape.dimensions = 1;
    set_image(linear_memory.devPtr, format, width, 1, width * format.bytes(), object);
}

void set_pitched_image(const cudaResourceDesc& resource, ImageObject& object) {
    const auto& pitched_memory = resource.res.pitch2D;
    const TexelFormat format = to_texel_format(pitched_memory.desc);
    if (pitched_memory.pitchInBytes % kTexturePitchAlignment != 0)
        refuse("the pitch of a texture must be a multiple of 32 bytes.");
    require(pitched_memory.width <= pitched_memory.pitchInBytes / format.bytes());
    object.shape.dimensions = 2;
    set_image(pitched_memory.devPtr, format, pitched_memory.width, pitched_memory.height,
              pitched_memory.pitchInBytes, object);
}

cudaArray& require_resource_array(const cudaResourceDesc& resource) {
    cudaArray* array = find_array(resource.res.array.array);
    if (!array) refuse("the array was never allocated, or has been freed.");
    return *array;
}

void set_image_from_resource(const cudaResourceDesc& resource, ImageObject& object) {
    switch (resource.resType) {
        case cudaResourceTypeArray: {
            const cudaArray& array = require_resource_array(resource);
            object.shape = array.shape;
            object.levels = {array.image};
            return;
        }
        case cudaResourceTypeMipmappedArray: {
            const cudaMipmappedArray* array = find_mipmapped_array(resource.res.mipmap.mipmap);
            if (!array) refuse("the mipmapped array was never allocated, or has been freed.");
            object.shape = array->levels[0]->shape;
            for (const cudaArray* level : array->levels) object.levels.push_back(level->image);
            return;
        }
        case cudaResourceTypeLinear: return set_linear_image(resource, object);
        case cudaResourceTypePitch2D: return set_pitched_image(resource, object);
    }
    fail();
}

// ---- sampling ----

/// Returns the address mode. Without normalized coordinates, wrap and mirror are equivalent to
/// clamp, as CUDA's documentation says.
AddressMode to_address_mode(cudaTextureAddressMode mode, bool is_normalized) {
    const bool is_repeating = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    return is_repeating && !is_normalized ? AddressMode::clamp : static_cast<AddressMode>(mode);
}

Sampling to_sampling(const cudaTextureDesc& t, const ImageObject& object) {
    const TexelFormat& format = object.image().format;
    Sampling sampling;
    for (int k = 0; k < 3; ++k)
        sampling.mode[k] = to_address_mode(t.addressMode[k], t.normalizedCoords != 0);
    sampling.uses_linear_filter = t.filterMode == cudaFilterModeLinear;
    sampling.has_normalized_coordinates = t.normalizedCoords != 0;
    sampling.returns_normalized_integers =
        t.readMode == cudaReadModeNormalizedFloat && !format.is_float();
    sampling.uses_srgb = t.sRGB != 0 && sampling.returns_normalized_integers &&
                         format.channel_bytes == 1 && format.kind == ChannelKind::unsigned_integer;
    for (int c = 0; c < 4; ++c) sampling.border[static_cast<std::size_t>(c)] = t.borderColor[c];
    sampling.interpolates_levels = t.mipmapFilterMode == cudaFilterModeLinear;
    sampling.level_bias = t.mipmapLevelBias;
    sampling.min_level = t.minMipmapLevelClamp;
    sampling.max_level = t.maxMipmapLevelClamp;
    return sampling;
}

/// Sets the sampling parameters of a texture in linear memory. Such a texture is fetched at integer
/// coordinates, and a fetch outside the memory returns 0.
void sample_linear_memory(Sampling& sampling) {
    sampling.uses_linear_filter = sampling.has_normalized_coordinates = false;
    sampling.border = {};
    for (AddressMode& mode : sampling.mode) mode = AddressMode::border;
}

void check_sampling(const cudaTextureDesc& t, const ImageObject& object) {
    const TexelFormat& format = object.image().format;
    const bool is_linear_memory = !object.is_array && object.shape.dimensions == 1;
    const bool returns_numbers = format.is_float() || t.readMode == cudaReadModeNormalizedFloat;
    if (t.readMode == cudaReadModeNormalizedFloat && !format.is_float() &&
        format.channel_bytes == 4)
        refuse("32-bit integers cannot be read as normalised floats.", cudaErrorInvalidNormSetting);
    if (t.filterMode == cudaFilterModeLinear && !returns_numbers && !is_linear_memory)
        refuse("linear filtering needs floats, or integers read as normalised floats.",
               cudaErrorInvalidFilterSetting);
    if (object.levels.size() > 1 && !t.normalizedCoords)
        refuse("mipmaps need normalised coordinates.");
    if (object.shape.is_cube && t.seamlessCubemap)
        fail_not_simulated("filtering across the edges of a cubemap's faces (seamlessCubemap)");
}

// ---- the objects ----

void create_texture(cudaTextureObject_t* number, const cudaResourceDesc* resource,
                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
    require(number && resource && texture);
    if (view) fail_not_simulated("a texture with a resource view");
    ImageObject object;
    set_image_from_resource(*resource, object);
    check_sampling(*texture, object);
    object.sampling = to_sampling(*texture, object);
    if (resource->resType == cudaResourceTypeLinear) sample_linear_memory(object.sampling);
    *number = add_image_object(std::move(object));
    std::lock_guard lock(descriptions().mutex);
    descriptions().descriptions_by_number[*number] = {*resource, *texture, false};
}

void create_surface(cudaSurfaceObject_t* number, const cudaResourceDesc* resource) {
    require(number && resource && resource->resType == cudaResourceTypeArray);
    const cudaArray& array = require_resource_array(*resource);
    if (!(array.flags & cudaArraySurfaceLoadStore))
        refuse("the array was allocated without cudaArraySurfaceLoadStore.");
    *number = add_image_object(
        {.is_surface = true, .shape = array.shape, .levels = {array.image}, .sampling = {}});
    std::lock_guard lock(descriptions().mutex);
    descriptions().descriptions_by_number[*number] = {*resource, {}, true};
}

/// Destroys an object. Like free, ignores a null handle.
void destroy(u64 number, bool is_surface) {
    if (number == 0) return;
    if (!remove_image_object(number, is_surface))
        refuse("the object does not exist: it was already destroyed, or never created.");
    std::lock_guard lock(descriptions().mutex);
    descriptions().descriptions_by_number.erase(number);
}

template <class T>
void describe(T* target, u64 number, bool is_surface, const T ObjectDescription::*what) {
    std::lock_guard lock(descriptions().mutex);
    const auto entry = descriptions().descriptions_by_number.find(number);
    if (entry == descriptions().descriptions_by_number.end() ||
        entry->second.is_surface != is_surface)
        refuse("the object does not exist.");
    store_output(target, entry->second.*what);
}

}  // namespace

namespace coalesce::simulator::cudart {

void forget_textures() {
    forget_arrays();
    forget_image_objects();
    std::lock_guard lock(descriptions().mutex);
    descriptions().descriptions_by_number.clear();
}

}  // namespace coalesce::simulator::cudart

COALESCE_BY(run_device_call, cudaCreateTextureObject, create_texture, 4);

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    return run_device_call(__func__, [&] { return destroy(object, false); });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
    return run_device_call(
        __func__, [&] { return describe(resource, object, false, &ObjectDescription::resource); });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
    return run_device_call(
        __func__, [&] { return describe(texture, object, false, &ObjectDescription::texture); });
}

COALESCE_BY(run_device_call, cudaCreateSurfaceObject, create_surface, 2);

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
    return run_device_call(__func__, [&] { return destroy(object, true); });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t object) {
    return run_device_call(
        __func__, [&] { return describe(resource, object, true, &ObjectDescription::resource); });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const cudaChannelFormatDesc* format,
                                                 int device) {
    return run_device_call(__func__, [&] {
        require(is_device_index(device), cudaErrorInvalidDevice);
        require(format);
        to_texel_format(*format);
        store_output(width, kMaxLinearTexels);
    });
}
