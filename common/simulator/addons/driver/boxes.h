// Converts the driver's descriptions of box copies (CUDA_MEMCPY2D, CUDA_MEMCPY3D) to the runtime's
// cudaMemcpy3DParms.
#pragma once

#include "simulator/addons/driver/driver.h"

namespace coalesce::simulator::driver {

// The kinds of memory, with the values of CUmemorytype.
enum MemoryType : unsigned { kHost = 1, kDevice = 2, kArray = 3, kUnified = 4 };

/// The source or the destination in a CUDA_MEMCPY2D.
struct Side2D {
    size_t x, y;
    MemoryType type;
    const void* host;
    const void* device;
    void* array;
    size_t pitch;
};
struct Copy2D {
    Side2D source, destination;
    size_t width, height;
};

/// The source or the destination in a CUDA_MEMCPY3D.
struct Side3D {
    size_t x = 0, y = 0, z = 0, level = 0;
    MemoryType type = kHost;
    const void* host = nullptr;
    const void* device = nullptr;
    void* array = nullptr;
    void* reserved = nullptr;
    size_t pitch = 0, height = 0;
};
struct Copy3D {
    Side3D source, destination;
    size_t width, height, depth;
};

/// Converts the driver's description of a copy to the runtime's cudaMemcpy3DParms. Fails if the box
/// to copy is invalid.
cudaMemcpy3DParms to_runtime_copy(const Copy2D* copy);
cudaMemcpy3DParms to_runtime_copy(const Copy3D* copy);

}  // namespace coalesce::simulator::driver
