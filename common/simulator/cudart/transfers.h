// Moving bytes between host and device: one checked row at a time, for all the memcpy and memset
// calls.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/base/types.h"

namespace coalesce::simulator {
class DeviceMemory;
}

namespace coalesce::simulator::cudart {

/// What is allocated on the device.
DeviceMemory& memory();

/// Whether there is nothing in it.
inline bool is_empty(const cudaExtent& box) {
    return box.width == 0 || box.height == 0 || box.depth == 0;
}

/// Copies a box, whose width is told in bytes, and remembers for each byte on the device whether it has been written.
/// Both places are those of its first byte: from a row to the next it is `pitch` bytes, from a slice to the next
/// `ysize` rows. Directions are checked as on hardware: a side that `kind` says is the device's must be memory that
/// kernels can reach; a side that it says is the host's may be any. With cudaMemcpyDefault the addresses decide. What cannot be copied, or filled,
/// fails (api.h).
void copy(const cudaPitchedPtr& to, const cudaPitchedPtr& from, const cudaExtent& box,
          cudaMemcpyKind kind);

/// Sets every `element` bytes (1, 2 or 4) to the low bytes of `value`.
void fill(const cudaPitchedPtr& to, const cudaExtent& box, unsigned value, unsigned element);

/// What copy and fill would say before they begin.
void check_copy(const cudaPitchedPtr& to, const cudaPitchedPtr& from, const cudaExtent& box,
                cudaMemcpyKind kind);
void check_fill(const cudaPitchedPtr& to, const cudaExtent& box);

}  // namespace coalesce::simulator::cudart
