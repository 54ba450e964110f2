// What the runtime asks of the addons for graphs and for textures. addons/graphs and addons/textures define these
// functions; a build without addons takes addons/absent/ in their place.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/cudart/work.h"

namespace coalesce::simulator::cudart {

// ---- addons/graphs ----

/// Does what only a node of a graph does.
void carry_out_node(const ChildWork& work);
void carry_out_node(const AllocateWork& work);
void carry_out_node(const FreeWork& work);
void carry_out_node(const ConditionalWork& work);

/// Memory of a graph that a program frees like any other. False: the pointer is to no such memory.
bool free_graph_memory(const void* pointer);

/// Forgets all graphs and captures, and gives their memory back (cudaDeviceReset).
void forget_graphs();

// ---- addons/textures ----

/// A copy that names CUDA arrays, made one between pitched blocks. Any other copy stays what it is.
CopyWork without_arrays(const CopyWork& work);

/// Forgets all arrays, textures and surfaces (cudaDeviceReset). Their memory is freed elsewhere.
void forget_textures();

}  // namespace coalesce::simulator::cudart
