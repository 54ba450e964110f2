// Manages the memory of a graph's allocation nodes. The memory is allocated as soon as the node is
// added, because the program receives the address at that time. A launch marks the memory as in use
// and its contents as uninitialized.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "simulator/base/types.h"
#include "simulator/cudart/work.h"

namespace coalesce::simulator::cudart {

struct GraphMemory {
    u64 address = 0, bytes = 0;
    /// True from the launch that allocates the memory until the memory is freed.
    bool is_in_use = false;
    /// True from the launch that allocates the memory until trim_graph_memory() unmaps it.
    bool is_mapped = false;

    /// Frees the memory when the last graph that owns it is destroyed. Memory still in use becomes
    /// ordinary memory that the program must free.
    ~GraphMemory();
};

/// Reserves memory of this size for an allocation node. Returns null if the device does not have
/// enough memory.
std::shared_ptr<GraphMemory> reserve_graph_memory(u64 bytes);

/// Returns the graph memory that starts at `pointer`, or null if there is none.
std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer);

/// Allocates memory of this size, and returns the work of an allocation node. The work's
/// `parameters` contain the address of the memory.
AllocateWork describe_allocation(size_t bytes);

/// Unmaps all graph memory that is not in use (cudaDeviceGraphMemTrim).
void trim_graph_memory();

/// begin_use marks the memory as in use, and end_use marks it as free. Each returns false if the
/// memory was already marked in this way.
bool begin_use(GraphMemory& memory);
bool end_use(GraphMemory& memory);

}  // namespace coalesce::simulator::cudart
