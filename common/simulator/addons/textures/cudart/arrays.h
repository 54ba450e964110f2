// CUDA arrays: what a cudaArray_t points to, and formats of texels as the runtime describes them.
//
// Builds on  textures/texture.h. Read next: texture_objects.cpp, array_copies.cpp.
// Trust      A handle is looked up among the arrays that there are before anything of it is read.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "simulator/addons/textures/texture.h"
#include "simulator/cudart/work.h"

struct cudaArray {
    coalesce::simulator::Image image{};
    coalesce::simulator::ImageShape shape{};
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  ///< as it was asked for: zeros where there is no such dimension
    unsigned flags = 0;
    bool is_level = false;  ///< of a mipmapped array, which frees it
};

struct cudaMipmappedArray {
    std::vector<cudaArray_t> levels;
};

namespace coalesce::simulator::cudart {

/// Null for a handle that is none.
cudaArray* find_array(cudaArray_const_t handle);
cudaMipmappedArray* find_mipmapped_array(const cudaMipmappedArray* handle);
void forget_arrays();

/// Refuses what is no format of ours.
TexelFormat format_of(const cudaChannelFormatDesc& description);

/// What is known of objects besides what kernels need of them.
void forget_object_descriptions();

}  // namespace coalesce::simulator::cudart
