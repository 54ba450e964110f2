// Moving bytes between host and device: one checked row at a time, for all the memcpy and memset
// calls.
#pragma once

#include <cuda_runtime_api.h>

#include "base/types.h"

namespace coalesce::sim {
class DeviceMemory;
}

namespace coalesce::sim::cudart {

/// What is allocated on the device.
DeviceMemory& memory();

/// A block of `depth` slices of `height` rows of `width` bytes. For a plain copy height and depth
/// are 1 and the pitches do not matter.
struct Shape {
    u64 width = 0, height = 1, depth = 1;
    bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

/// Where such a block lies.
struct Pitched {
    const void* begin = nullptr;
    u64 pitch = 0;   ///< bytes from a row to the next
    u64 height = 0;  ///< rows from a slice to the next
};

/// Copies, and remembers for each byte on the device whether it has been written. Directions are
/// checked as on hardware: a side that `kind` says is the device's must be memory that kernels can
/// reach; a side that it says is the host's may be any. With cudaMemcpyDefault the addresses
/// decide.
cudaError_t copy(Pitched to, Pitched from, Shape shape, cudaMemcpyKind kind);
cudaError_t copy(void* to, const void* from, u64 bytes, cudaMemcpyKind kind);

/// Sets every `element` bytes (1, 2 or 4) to the low bytes of `value`.
cudaError_t fill(Pitched to, Shape shape, unsigned value, unsigned element = 1);

/// What copy and fill would say before they begin.
cudaError_t check_copy(Pitched to, Pitched from, Shape shape, cudaMemcpyKind kind);
cudaError_t check_fill(Pitched to, Shape shape);

}  // namespace coalesce::sim::cudart
