// Boxes of bytes as the driver describes them (CUDA_MEMCPY2D, CUDA_MEMCPY3D), made into the runtime's.
#pragma once

#include "simulator/addons/driver/driver.h"

namespace coalesce::simulator::driver {

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
    size_t x = 0, y = 0, z = 0, level = 0;
    MemoryType type = kHost;
    const void* host = nullptr;
    const void* device = nullptr;
    void* array = nullptr;
    void* reserved = nullptr;
    size_t pitch = 0, height = 0;
};
struct Copy3D {
    Side3D from, to;
    size_t width, height, depth;
};

/// Fails for what is no box.
cudaMemcpy3DParms box_of(const Copy2D* copy);
cudaMemcpy3DParms box_of(const Copy3D* copy);

}  // namespace coalesce::simulator::driver
