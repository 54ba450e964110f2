// Device memory as the calls that take it from pools need it, and the books of the pools.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::simulator::cudart {

/// cudaMalloc and cudaFree without what surrounds a call.
void allocate_device(void** pointer, size_t bytes);
void free_device(void* pointer);

/// `pointer` was freed, whether it came from a pool or not.
void note_freed_in_pools(const void* pointer);

}  // namespace coalesce::simulator::cudart
