// The memory that allocation nodes of graphs give out. Its address is known when the node is added, so it
// is taken from the device then; a launch says when it is in use, and what it holds counts as unwritten
// from there on.
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

    /// What a program still uses when the last graph is gone is its own from then on, to be freed like
    /// any other memory.
    ~GraphMemory();
};

/// Null when the device has no such memory left.
std::shared_ptr<GraphMemory> reserve_graph_memory(u64 bytes);

/// The memory that begins there; null when it is not a graph's.
std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer);

/// Memory of `bytes`, whose address is in the work's parameters.
AllocateWork describe_allocation(size_t bytes);

/// What no graph uses is no longer mapped.
void trim_graph_memory();

/// False: it is in use, or is not.
bool begin_use(GraphMemory& memory);
bool end_use(GraphMemory& memory);

}  // namespace coalesce::simulator::cudart
