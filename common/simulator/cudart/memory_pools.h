// Declares the function that updates the statistics of memory pools, and allocation functions
// without an API wrapper, which the pool functions call.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::simulator::cudart {

/// These functions implement cudaMalloc and cudaFree without the wrapper around an API call.
void allocate_device(void** pointer, size_t bytes);
void free_device(void* pointer);

/// Records that `pointer` was freed. The memory need not come from a pool.
void record_freed_in_pools(const void* pointer);

}  // namespace coalesce::simulator::cudart
