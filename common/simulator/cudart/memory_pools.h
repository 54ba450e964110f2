// Declares functions that allocate and free device memory without counting as an API call, and a
// function that updates the statistics of memory pools.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::simulator::cudart {

/// These functions do the work of cudaMalloc and cudaFree, but do not count as API calls (api.h).
void allocate_device(void** pointer, size_t bytes);
void free_device(void* pointer);

/// Subtracts the freed memory at `pointer` from the statistics of the pool that it came from. Does
/// nothing if the memory does not come from a pool.
void record_freed_in_pools(const void* pointer);

}  // namespace coalesce::simulator::cudart
