// Helpers for test cases with textures and surfaces. They create arrays, and texture and surface
// objects for these arrays.
#pragma once

#include "cases.h"

template <class T>
cudaArray_t raw_array(size_t width, size_t height, unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t array = nullptr;
    need(cudaMallocArray(&array, &format, width, height, flags));
    return array;
}

/// Returns a CUDA array whose texels contain 0, 1, 2, ...
inline cudaArray_t iota_array(size_t width, size_t height, unsigned flags = 0) {
    const cudaArray_t array = raw_array<float>(width, height, flags);
    std::vector<float> texels(width * height);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
    need(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * 4, width * 4, height,
                             cudaMemcpyHostToDevice));
    return array;
}

inline cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

inline cudaTextureObject_t texture_of(const cudaResourceDesc& resource,
                                      cudaTextureFilterMode filter = cudaFilterModePoint) {
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    cudaTextureObject_t texture = 0;
    need(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

inline cudaSurfaceObject_t surface_of(cudaArray_t array) {
    const cudaResourceDesc resource = resource_of(array);
    cudaSurfaceObject_t surface = 0;
    need(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}
