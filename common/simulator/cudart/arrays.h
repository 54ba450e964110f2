// CUDA arrays: what a cudaArray_t points to, and formats of texels as the runtime describes them.
//
// Builds on  textures/texture.h. Read next: texture_objects.cpp, array_copies.cpp.
// Trust      A handle is looked up among the arrays that there are before anything of it is read.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "simulator/cudart/work.h"
#include "simulator/textures/texture.h"

struct cudaArray {
    coalesce::sim::Image image{};
    coalesce::sim::ImageShape shape{};
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  ///< as it was asked for: zeros where there is no such dimension
    unsigned flags = 0;
    bool is_level = false;  ///< of a mipmapped array, which frees it
};

struct cudaMipmappedArray {
    std::vector<cudaArray_t> levels;
};

namespace coalesce::sim::cudart {

/// Null for a handle that is none.
cudaArray* find_array(cudaArray_const_t handle);
cudaMipmappedArray* find_mipmapped_array(const cudaMipmappedArray* handle);
void forget_arrays();  ///< cudaDeviceReset; their memory is freed elsewhere

/// Refuses what is no format of ours.
TexelFormat format_of(const cudaChannelFormatDesc& description);

/// A copy with arrays in it, made one between pitched blocks. One without stays what it is.
CopyWork without_arrays(const CopyWork& work);

/// What is known of objects besides what kernels need of them.
void forget_object_descriptions();

}  // namespace coalesce::sim::cudart
