// Device memory for calls that allocate from pools, and the statistics of the pools.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::simulator::cudart {

/// cudaMalloc and cudaFree, without the code that surrounds a call.
void allocate_device(void** pointer, size_t bytes);
void free_device(void* pointer);

/// Records that `pointer` was freed, whether it came from a pool or not.
void note_freed_in_pools(const void* pointer);

}  // namespace coalesce::simulator::cudart
