// Functions that the runtime calls in the addons for graphs and textures. addons/graphs and addons/textures define
// them. A build without addons uses those in addons/absent/.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/cudart/work.h"

namespace coalesce::simulator::cudart {

// ---- addons/graphs ----

/// Executes work that only a node of a graph can have.
void carry_out_node(const ChildWork& work);
void carry_out_node(const AllocateWork& work);
void carry_out_node(const FreeWork& work);
void carry_out_node(const ConditionalWork& work);

/// Frees memory of a graph that a program frees like other memory. Returns false if it is not a graph's.
bool free_graph_memory(const void* pointer);

/// Deletes all graphs and captures, and frees their memory, for cudaDeviceReset.
void forget_graphs();

// ---- addons/textures ----

/// Converts a copy with arrays into one between pitched blocks. Other copies are returned unchanged.
CopyWork without_arrays(const CopyWork& work);

/// Deletes all arrays, textures and surfaces, for cudaDeviceReset. Their memory is freed elsewhere.
void forget_textures();

}  // namespace coalesce::simulator::cudart
