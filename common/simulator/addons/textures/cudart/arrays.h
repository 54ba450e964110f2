// Declares CUDA arrays (the objects that a cudaArray_t points to), and converts the runtime's texel
// format descriptions to TexelFormat.
//
// Builds on  addons/textures/texture.h. Read next: texture_objects.cpp, array_copies.cpp.
// Trust      A handle is looked up among the existing arrays before it is dereferenced.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "simulator/addons/textures/texture.h"
#include "simulator/cudart/work.h"

struct cudaArray {
    coalesce::simulator::Image image{};
    coalesce::simulator::ImageShape shape{};
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  ///< the requested size in texels; 0 for an unused dimension
    unsigned flags = 0;
    bool is_level = false;  ///< true for a level that a mipmapped array owns and frees
};

struct cudaMipmappedArray {
    std::vector<cudaArray_t> levels;
};

namespace coalesce::simulator::cudart {

/// Returns the array, or null if the handle is invalid.
cudaArray* find_array(cudaArray_const_t handle);
cudaMipmappedArray* find_mipmapped_array(const cudaMipmappedArray* handle);
/// Deletes all arrays for cudaDeviceReset, which frees their device memory separately.
void forget_arrays();

/// Converts the runtime's description of a texel format to a TexelFormat. Fails if we do not
/// support the format.
TexelFormat to_texel_format(const cudaChannelFormatDesc& description);

}  // namespace coalesce::simulator::cudart
