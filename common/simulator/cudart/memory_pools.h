// Declares functions that allocate and free device memory without an API call, and that update the
// statistics of memory pools.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::simulator::cudart {

/// allocate_device does the work of cudaMalloc, and free_device that of cudaFree. Neither of them
/// is an API call (api.h).
void allocate_device(void** pointer, size_t bytes);
void free_device(void* pointer);

/// Updates the statistics of the memory pool from which the memory at `pointer` was allocated,
/// after the memory has been freed. Does nothing if the memory does not come from a pool.
void record_freed_in_pools(const void* pointer);

}  // namespace coalesce::simulator::cudart
