// CUDA arrays (the objects that a cudaArray_t points to), and the formats of texels as the runtime
// describes them.
//
// Builds on  textures/texture.h. Read next: texture_objects.cpp, array_copies.cpp.
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
    cudaExtent extent{};  ///< as requested: 0 for missing dimensions
    unsigned flags = 0;
    bool is_level = false;  ///< whether it is a level of a mipmapped array, which frees it
};

struct cudaMipmappedArray {
    std::vector<cudaArray_t> levels;
};

namespace coalesce::simulator::cudart {

/// Returns null for an invalid handle.
cudaArray* find_array(cudaArray_const_t handle);
cudaMipmappedArray* find_mipmapped_array(const cudaMipmappedArray* handle);
/// Forgets all arrays, for cudaDeviceReset. Their memory is freed elsewhere.
void forget_arrays();

/// Fails for formats that we do not support.
TexelFormat format_of(const cudaChannelFormatDesc& description);

}  // namespace coalesce::simulator::cudart
