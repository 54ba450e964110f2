// Declares the functions of the graph and texture addons that the runtime calls. A build without
// addons uses the definitions in addons/absent/.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/cudart/work.h"

namespace coalesce::simulator::cudart {

// ---- addons/graphs ----

/// These functions execute the kinds of work that occur only in graphs.
void execute_node(const ChildWork& work);
void execute_node(const AllocateWork& work);
void execute_node(const FreeWork& work);
void execute_node(const ConditionalWork& work);

/// Implements cudaFree for the memory of graphs. Returns false if the memory does not belong to a
/// graph.
bool free_graph_memory(const void* pointer);

/// Deletes all graphs and captures and frees their memory, for cudaDeviceReset.
void forget_graphs();

// ---- addons/textures ----

/// Converts a copy from or to CUDA arrays to a copy between blocks of pitched memory. Returns any
/// other copy unchanged.
CopyWork replace_arrays_by_memory(const CopyWork& work);

/// Deletes all arrays, textures and surfaces, for cudaDeviceReset, which frees their memory
/// separately.
void forget_textures();

}  // namespace coalesce::simulator::cudart
