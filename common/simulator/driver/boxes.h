// Boxes of bytes as the driver describes them (CUDA_MEMCPY2D, CUDA_MEMCPY3D), made into the runtime's.
#pragma once

#include "driver/driver.h"

namespace coalesce::sim::driver {

// CUmemorytype
enum MemoryType : unsigned { kHost = 1, kDevice = 2, kArray = 3, kUnified = 4 };

/// Where one side of a CUDA_MEMCPY2D lies.
struct Side2D {
    size_t x, y;
    MemoryType type;
    const void* host;
    const void* device;
    void* array;
    size_t pitch;
};
struct Copy2D {
    Side2D from, to;
    size_t width, height;
};

/// ... and one of a CUDA_MEMCPY3D.
struct Side3D {
    size_t x, y, z, level;
    MemoryType type;
    const void* host;
    const void* device;
    void* array;
    void* reserved;
    size_t pitch, height;
};
struct Copy3D {
    Side3D from, to;
    size_t width, height, depth;
};

/// An error for what is no box.
Result describe_copy(const Copy2D* copy, cudaMemcpy3DParms& box);
Result describe_copy(const Copy3D* copy, cudaMemcpy3DParms& box);

}  // namespace coalesce::sim::driver
