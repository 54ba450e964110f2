// Copies bytes between host and device for all memcpy and memset calls, row by row and with checks.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/base/types.h"

namespace coalesce::simulator {
class DeviceMemory;
}

namespace coalesce::simulator::cudart {

/// Returns the memory of the simulated device.
DeviceMemory& memory();

inline bool is_empty(const cudaExtent& box) {
    return box.width == 0 || box.height == 0 || box.depth == 0;
}

/// Copies a box, whose width is given in bytes, and tracks which bytes on the device are
/// initialized. cudaPitchedPtr::pitch is the distance between rows in bytes, and
/// cudaPitchedPtr::ysize is the distance between slices in rows. If `kind` says that the source or
/// the destination is on the device, kernels must be able to access that memory, as on hardware.
/// With cudaMemcpyDefault, the addresses determine the direction. Fails (api.h) if the copy is not
/// possible.
void copy(const cudaPitchedPtr& to, const cudaPitchedPtr& from, const cudaExtent& box,
          cudaMemcpyKind kind);

/// Sets every element of a box, whose width is in bytes, to `value`. `element_bytes` is the size of
/// an element in bytes: 1, 2 or 4.
void fill(const cudaPitchedPtr& to, const cudaExtent& box, unsigned value, unsigned element_bytes);

/// check_copy and check_fill perform the checks of `copy` and `fill`, but move no data.
void check_copy(const cudaPitchedPtr& to, const cudaPitchedPtr& from, const cudaExtent& box,
                cudaMemcpyKind kind);
void check_fill(const cudaPitchedPtr& to, const cudaExtent& box);

}  // namespace coalesce::simulator::cudart
