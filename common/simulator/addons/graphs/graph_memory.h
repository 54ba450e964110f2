// The memory of a graph's allocation nodes. Its address is known when the node is added, so it is
// allocated then. A launch marks it as used, and its contents count as uninitialized from then on.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "simulator/base/types.h"
#include "simulator/cudart/work.h"

namespace coalesce::simulator::cudart {

struct GraphMemory {
    u64 address = 0, bytes = 0;
    bool in_use = false;     ///< allocated by a launch, and not freed since
    bool is_mapped = false;  ///< allocated by a launch, and not trimmed since

    /// If a program still uses the memory when the last graph is destroyed, it becomes ordinary
    /// memory that the program must free.
    ~GraphMemory();
};

/// Returns null if the device has not enough memory.
std::shared_ptr<GraphMemory> reserve_graph_memory(u64 bytes);

/// Returns the memory that starts there, or null if it does not belong to a graph.
std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer);

/// Allocates `bytes`. The address is in the parameters of the work.
AllocateWork describe_allocation(size_t bytes);

/// Unmaps memory that no graph uses.
void trim_graph_memory();

/// Return false if the memory is already in use, or not in use.
bool begin_use(GraphMemory& memory);
bool end_use(GraphMemory& memory);

}  // namespace coalesce::simulator::cudart
