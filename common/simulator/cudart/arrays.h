// CUDA arrays (the objects that a cudaArray_t points to), and the formats of texels as the runtime
// describes them.
//
// Builds on  textures/texture.h. Read next: texture_objects.cpp, array_copies.cpp.
// Trust      A handle is looked up among the existing arrays before it is dereferenced.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "simulator/cudart/work.h"
#include "simulator/textures/texture.h"

struct cudaArray {
    coalesce::sim::Image image{};
    coalesce::sim::ImageShape shape{};
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  ///< as requested: 0 for missing dimensions
    unsigned flags = 0;
    bool is_level = false;  ///< whether it is a level of a mipmapped array, which frees it
};

struct cudaMipmappedArray {
    std::vector<cudaArray_t> levels;
};

namespace coalesce::sim::cudart {

/// Returns null for an invalid handle.
cudaArray* find_array(cudaArray_const_t handle);
cudaMipmappedArray* find_mipmapped_array(const cudaMipmappedArray* handle);
void forget_arrays();  ///< for cudaDeviceReset; the memory is freed elsewhere

/// Fails for formats that we do not support.
TexelFormat format_of(const cudaChannelFormatDesc& description);

/// Converts a copy with arrays into one between pitched blocks. Other copies are returned
/// unchanged.
CopyWork without_arrays(const CopyWork& work);

/// Deletes the descriptions of objects that kernels do not need.
void forget_object_descriptions();

}  // namespace coalesce::sim::cudart
