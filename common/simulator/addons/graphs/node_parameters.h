// Converts the parameters of nodes to work and back.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/addons/graphs/graphs.h"

namespace coalesce::simulator::cudart {

Work describe_kernel(const cudaKernelNodeParams* parameters);
Work describe_memset(const cudaMemsetParams* parameters);
Work describe_host(const cudaHostNodeParams* parameters);
/// The child graph is copied, unless `moves` says that the node takes it over.
Work describe_child(cudaGraph_t child, bool moves);
/// Sets `parameters->dptr` to the address.
Work describe_allocation(cudaMemAllocNodeParams* parameters);
Work describe_free(const Graph& graph, void* pointer);
/// Handles all kinds of parameters. `graph` is the graph that the node will belong to.
Work describe(Graph& graph, cudaGraphNodeParams* parameters);

cudaKernelNodeParams parameters_of(const KernelWork& work);
cudaMemsetParams parameters_of(const FillWork& work);
/// Copies and host functions are stored with their original parameters.
template <class Parameters>
const Parameters& parameters_of(const Parameters& work) {
    return work;
}

}  // namespace coalesce::simulator::cudart
