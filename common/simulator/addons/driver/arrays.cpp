// Converts the driver's descriptions of CUDA arrays, texture objects and surface objects to the
// runtime's.
#include "simulator/addons/driver/driver.h"

using namespace coalesce::simulator::driver;

namespace {

// ---- formats: CUarray_format ----

struct ArrayFormat {
    unsigned number;
    int bits;
    cudaChannelFormatKind kind;
};
constexpr ArrayFormat kArrayFormats[] = {
    {0x01, 8, cudaChannelFormatKindUnsigned},  {0x02, 16, cudaChannelFormatKindUnsigned},
    {0x03, 32, cudaChannelFormatKindUnsigned}, {0x08, 8, cudaChannelFormatKindSigned},
    {0x09, 16, cudaChannelFormatKindSigned},   {0x0a, 32, cudaChannelFormatKindSigned},
    {0x10, 16, cudaChannelFormatKindFloat},    {0x20, 32, cudaChannelFormatKindFloat}};

/// Returns the runtime's description of a texel format. For an unknown format, returns a
/// description with 0 bits, which the runtime rejects.
cudaChannelFormatDesc to_runtime_format(unsigned number, unsigned channels) {
    cudaChannelFormatDesc description{0, 0, 0, 0, cudaChannelFormatKindNone};
    for (const ArrayFormat& format : kArrayFormats) {
        if (format.number != number) continue;
        int* const channel_bits[] = {&description.x, &description.y, &description.z,
                                     &description.w};
        for (unsigned c = 0; c < channels && c < 4; ++c) *channel_bits[c] = format.bits;
        description.f = format.kind;
    }
    return description;
}

unsigned to_driver_format(const cudaChannelFormatDesc& description, unsigned& channels) {
    channels = description.w ? 4 : description.z ? 3 : description.y ? 2 : 1;
    for (const ArrayFormat& format : kArrayFormats)
        if (format.bits == description.x && format.kind == description.f) return format.number;
    return 0;
}

// ---- arrays ----

struct ArrayDescriptor {  // CUDA_ARRAY_DESCRIPTOR
    size_t width, height;
    unsigned format, channels;
};
struct Array3DDescriptor {  // A CUDA_ARRAY3D_DESCRIPTOR, which uses the runtime's flags.
    size_t width, height, depth;
    unsigned format, channels, flags;
};

Array3DDescriptor describe_array(cudaArray_t array) {
    Array3DDescriptor descriptor{};
    cudaChannelFormatDesc format{};
    cudaExtent extent{};
    require_success(cudaArrayGetInfo(&format, &extent, &descriptor.flags, array));
    descriptor.width = extent.width, descriptor.height = extent.height,
    descriptor.depth = extent.depth;
    descriptor.format = to_driver_format(format, descriptor.channels);
    return descriptor;
}

// ---- objects ----

struct ResourceDescriptor {  // CUDA_RESOURCE_DESC
    unsigned type;
    union {
        cudaArray_t array;
        cudaMipmappedArray_t mipmapped;
        struct {
            void* pointer;
            unsigned format, channels;
            size_t width, height, pitch;  ///< in bytes for linear memory
        } memory;
        int reserved[32];
    };
    unsigned flags;
};
struct TextureDescriptor {  // CUDA_TEXTURE_DESC
    unsigned mode[3], filter, flags, anisotropy, mipmap_filter;
    float bias, min_level, max_level, border[4];
    int reserved[12];
};
enum TextureFlags : unsigned {
    kReadAsInteger = 1,
    kNormalizedCoordinates = 2,
    kSrgb = 16,
    kNoTrilinear = 32,
    kSeamless = 64
};

cudaResourceDesc to_runtime_resource(const ResourceDescriptor& descriptor) {
    cudaResourceDesc converted_resource{};
    converted_resource.resType = static_cast<cudaResourceType>(descriptor.type);
    const auto format = [&] {
        return to_runtime_format(descriptor.memory.format, descriptor.memory.channels);
    };
    switch (converted_resource.resType) {
        case cudaResourceTypeArray: converted_resource.res.array.array = descriptor.array; break;
        case cudaResourceTypeMipmappedArray:
            converted_resource.res.mipmap.mipmap = descriptor.mipmapped;
            break;
        case cudaResourceTypeLinear:
            converted_resource.res.linear.devPtr = descriptor.memory.pointer;
            converted_resource.res.linear.desc = format();
            converted_resource.res.linear.sizeInBytes = descriptor.memory.width;
            break;
        case cudaResourceTypePitch2D:
            converted_resource.res.pitch2D.devPtr = descriptor.memory.pointer;
            converted_resource.res.pitch2D.desc = format();
            converted_resource.res.pitch2D.width = descriptor.memory.width;
            converted_resource.res.pitch2D.height = descriptor.memory.height;
            converted_resource.res.pitch2D.pitchInBytes = descriptor.memory.pitch;
            break;
    }
    return converted_resource;
}

ResourceDescriptor to_driver_resource(const cudaResourceDesc& from) {
    ResourceDescriptor converted_resource{};
    converted_resource.type = static_cast<unsigned>(from.resType);
    switch (from.resType) {
        case cudaResourceTypeArray: converted_resource.array = from.res.array.array; break;
        case cudaResourceTypeMipmappedArray:
            converted_resource.mipmapped = from.res.mipmap.mipmap;
            break;
        case cudaResourceTypeLinear:
            converted_resource.memory.pointer = from.res.linear.devPtr;
            converted_resource.memory.format =
                to_driver_format(from.res.linear.desc, converted_resource.memory.channels);
            converted_resource.memory.width = from.res.linear.sizeInBytes;
            break;
        case cudaResourceTypePitch2D:
            converted_resource.memory.pointer = from.res.pitch2D.devPtr;
            converted_resource.memory.format =
                to_driver_format(from.res.pitch2D.desc, converted_resource.memory.channels);
            converted_resource.memory.width = from.res.pitch2D.width;
            converted_resource.memory.height = from.res.pitch2D.height;
            converted_resource.memory.pitch = from.res.pitch2D.pitchInBytes;
            break;
    }
    return converted_resource;
}

/// Returns the number of bits in a texel's first channel.
int count_channel_bits(const cudaResourceDesc& resource) {
    cudaChannelFormatDesc format{};
    cudaArray_t level =
        resource.resType == cudaResourceTypeArray ? resource.res.array.array : nullptr;
    if (resource.resType == cudaResourceTypeLinear) return resource.res.linear.desc.x;
    if (resource.resType == cudaResourceTypePitch2D) return resource.res.pitch2D.desc.x;
    if (resource.resType == cudaResourceTypeMipmappedArray)
        cudaGetMipmappedArrayLevel(&level, resource.res.mipmap.mipmap, 0);
    return cudaGetChannelDesc(&format, level) == cudaSuccess ? format.x : 0;
}

/// Converts a texture description. A texture of 8-bit or 16-bit integers returns floats unless its
/// flags say otherwise. A texture of 32-bit integers always returns integers.
cudaTextureDesc to_runtime_texture(const TextureDescriptor& from, int bits) {
    cudaTextureDesc converted_texture{};
    for (int k = 0; k < 3; ++k)
        converted_texture.addressMode[k] = static_cast<cudaTextureAddressMode>(from.mode[k]);
    for (int c = 0; c < 4; ++c) converted_texture.borderColor[c] = from.border[c];
    converted_texture.filterMode = static_cast<cudaTextureFilterMode>(from.filter);
    converted_texture.readMode = (from.flags & kReadAsInteger) || bits == 32
                                     ? cudaReadModeElementType
                                     : cudaReadModeNormalizedFloat;
    converted_texture.normalizedCoords = (from.flags & kNormalizedCoordinates) != 0;
    converted_texture.sRGB = (from.flags & kSrgb) != 0;
    converted_texture.disableTrilinearOptimization = (from.flags & kNoTrilinear) != 0;
    converted_texture.seamlessCubemap = (from.flags & kSeamless) != 0;
    converted_texture.maxAnisotropy = from.anisotropy;
    converted_texture.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmap_filter);
    converted_texture.mipmapLevelBias = from.bias;
    converted_texture.minMipmapLevelClamp = from.min_level;
    converted_texture.maxMipmapLevelClamp = from.max_level;
    return converted_texture;
}

TextureDescriptor to_driver_texture(const cudaTextureDesc& from) {
    TextureDescriptor converted_texture{};
    for (int k = 0; k < 3; ++k)
        converted_texture.mode[k] = static_cast<unsigned>(from.addressMode[k]);
    for (int c = 0; c < 4; ++c) converted_texture.border[c] = from.borderColor[c];
    converted_texture.filter = static_cast<unsigned>(from.filterMode);
    converted_texture.flags = (from.readMode == cudaReadModeElementType ? kReadAsInteger : 0u) |
                              (from.normalizedCoords ? kNormalizedCoordinates : 0u) |
                              (from.sRGB ? kSrgb : 0u) |
                              (from.disableTrilinearOptimization ? kNoTrilinear : 0u) |
                              (from.seamlessCubemap ? kSeamless : 0u);
    converted_texture.anisotropy = from.maxAnisotropy;
    converted_texture.mipmap_filter = static_cast<unsigned>(from.mipmapFilterMode);
    converted_texture.bias = from.mipmapLevelBias;
    converted_texture.min_level = from.minMipmapLevelClamp;
    converted_texture.max_level = from.maxMipmapLevelClamp;
    return converted_texture;
}

template <cudaError_t (*get)(cudaResourceDesc*, unsigned long long)>
cudaError_t get_resource(ResourceDescriptor* target, unsigned long long object) {
    cudaResourceDesc resource{};
    require_success(get(&resource, object));
    store_output(target, to_driver_resource(resource));
    return cudaSuccess;
}

cudaError_t get_texture(TextureDescriptor* target, cudaTextureObject_t object) {
    cudaTextureDesc texture{};
    require_success(cudaGetTextureObjectTextureDesc(&texture, object));
    store_output(target, to_driver_texture(texture));
    return cudaSuccess;
}

// ---- byte copies to and from one-dimensional arrays ----

template <cudaMemcpyKind kind>
cudaError_t copy_to_array(cudaArray_t array, size_t x, const void* bytes_to_copy, size_t bytes) {
    return cudaMemcpy2DToArray(array, x, 0, bytes_to_copy, bytes, bytes, 1, kind);
}
template <cudaMemcpyKind kind>
cudaError_t copy_from_array(void* to, cudaArray_t from, size_t x, size_t bytes) {
    return cudaMemcpy2DFromArray(to, bytes, from, x, 0, bytes, 1, kind);
}
cudaError_t copy_to_array_in_stream(cudaArray_t to, size_t x, const void* from, size_t bytes,
                                    cudaStream_t stream) {
    return cudaMemcpy2DToArrayAsync(to, x, 0, from, bytes, bytes, 1, cudaMemcpyHostToDevice,
                                    stream);
}
cudaError_t copy_from_array_in_stream(void* to, cudaArray_t from, size_t x, size_t bytes,
                                      cudaStream_t stream) {
    return cudaMemcpy2DFromArrayAsync(to, bytes, from, x, 0, bytes, 1, cudaMemcpyDeviceToHost,
                                      stream);
}
cudaError_t copy_between_arrays(cudaArray_t to, size_t to_x, cudaArray_t from, size_t from_x,
                                size_t bytes) {
    return cudaMemcpy2DArrayToArray(to, to_x, 0, from, from_x, 0, bytes, 1,
                                    cudaMemcpyDeviceToDevice);
}

}  // namespace

extern "C" {

Result cuArrayCreate_v2(cudaArray_t* array, const ArrayDescriptor* wanted) {
    return call_with_context(__func__, [&] {
        require(array && wanted);
        const cudaChannelFormatDesc format = to_runtime_format(wanted->format, wanted->channels);
        require_success(cudaMallocArray(array, &format, wanted->width, wanted->height, 0));
    });
}

Result cuArray3DCreate_v2(cudaArray_t* array, const Array3DDescriptor* wanted) {
    return call_with_context(__func__, [&] {
        require(array && wanted);
        const cudaChannelFormatDesc format = to_runtime_format(wanted->format, wanted->channels);
        require_success(cudaMalloc3DArray(
            array, &format, {wanted->width, wanted->height, wanted->depth}, wanted->flags));
    });
}

Result cuArrayGetDescriptor_v2(ArrayDescriptor* target, cudaArray_t array) {
    return call_with_context(__func__, [&] {
        const Array3DDescriptor found = describe_array(array);
        store_output(target, {found.width, found.height, found.format, found.channels});
    });
}

Result cuArray3DGetDescriptor_v2(Array3DDescriptor* target, cudaArray_t array) {
    return call_with_context(__func__, [&] { store_output(target, describe_array(array)); });
}

COALESCE_SAME(cuArrayDestroy, cudaFreeArray, 1);

Result cuMipmappedArrayCreate(cudaMipmappedArray_t* array, const Array3DDescriptor* wanted,
                              unsigned levels) {
    return call_with_context(__func__, [&] {
        require(array && wanted);
        const cudaChannelFormatDesc format = to_runtime_format(wanted->format, wanted->channels);
        require_success(cudaMallocMipmappedArray(
            array, &format, {wanted->width, wanted->height, wanted->depth}, levels, wanted->flags));
    });
}

COALESCE_SAME(cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel, 3);
COALESCE_SAME(cuMipmappedArrayDestroy, cudaFreeMipmappedArray, 1);

// ---- objects ----

Result cuTexObjectCreate(cudaTextureObject_t* object, const ResourceDescriptor* resource,
                         const TextureDescriptor* texture, const void* view) {
    return call_with_context(__func__, [&] {
        require(resource && texture);
        const cudaResourceDesc from = to_runtime_resource(*resource);
        const cudaTextureDesc texture_settings =
            to_runtime_texture(*texture, count_channel_bits(from));
        require_success(cudaCreateTextureObject(object, &from, &texture_settings,
                                                static_cast<const cudaResourceViewDesc*>(view)));
    });
}

COALESCE_SAME(cuTexObjectDestroy, cudaDestroyTextureObject, 1);
COALESCE_SAME(cuTexObjectGetResourceDesc, get_resource<cudaGetTextureObjectResourceDesc>, 2);
COALESCE_SAME(cuTexObjectGetTextureDesc, get_texture, 2);

Result cuSurfObjectCreate(cudaSurfaceObject_t* object, const ResourceDescriptor* resource) {
    return call_with_context(__func__, [&] {
        require(resource);
        const cudaResourceDesc from = to_runtime_resource(*resource);
        require_success(cudaCreateSurfaceObject(object, &from));
    });
}

COALESCE_SAME(cuSurfObjectDestroy, cudaDestroySurfaceObject, 1);
COALESCE_SAME(cuSurfObjectGetResourceDesc, get_resource<cudaGetSurfaceObjectResourceDesc>, 2);

Result cuDeviceGetTexture1DLinearMaxWidth(size_t* width, unsigned format, unsigned channels,
                                          int device) {
    return run_driver_call(__func__, [&] {
        const cudaChannelFormatDesc texel = to_runtime_format(format, channels);
        require_success(cudaDeviceGetTexture1DLinearMaxWidth(width, &texel, device));
    });
}

// ---- runs of bytes ----

COALESCE_SAME_AT_ONCE(cuMemcpyHtoA_v2, copy_to_array<cudaMemcpyHostToDevice>, 4);
COALESCE_SAME_AT_ONCE(cuMemcpyDtoA_v2, copy_to_array<cudaMemcpyDeviceToDevice>, 4);
COALESCE_SAME_AT_ONCE(cuMemcpyAtoH_v2, copy_from_array<cudaMemcpyDeviceToHost>, 4);
COALESCE_SAME_AT_ONCE(cuMemcpyAtoD_v2, copy_from_array<cudaMemcpyDeviceToDevice>, 4);
COALESCE_SAME_AT_ONCE(cuMemcpyAtoA_v2, copy_between_arrays, 5);
COALESCE_SAME_IN_STREAM(cuMemcpyHtoAAsync_v2, copy_to_array_in_stream, 5);
COALESCE_SAME_IN_STREAM(cuMemcpyAtoHAsync_v2, copy_from_array_in_stream, 5);

}  // extern "C"
