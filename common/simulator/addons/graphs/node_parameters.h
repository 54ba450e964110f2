// Converts node parameters to Work, and Work to node parameters.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/addons/graphs/graphs.h"

namespace coalesce::simulator::cudart {

Work describe_kernel(const cudaKernelNodeParams* parameters);
Work describe_memset(const cudaMemsetParams* parameters);
Work describe_host(const cudaHostNodeParams* parameters);
/// Creates the work of a child-graph node. The node copies the child graph, or takes ownership of
/// it if `takes_ownership` is true.
Work describe_child(cudaGraph_t child, bool takes_ownership);
/// Creates the work of an allocation node, and sets `parameters->dptr` to the allocated address.
Work describe_allocation(cudaMemAllocNodeParams* parameters);
Work describe_free(const Graph& graph, void* pointer);
/// Creates the work that `parameters` describe, for a node of any kind. `graph` is the graph that
/// the node will belong to.
Work describe(Graph& graph, cudaGraphNodeParams* parameters);

cudaKernelNodeParams to_node_parameters(const KernelWork& work);
cudaMemsetParams to_node_parameters(const FillWork& work);
/// Returns `work` unchanged: for copy nodes and host nodes, the work is already stored as node
/// parameters.
template <class Parameters>
const Parameters& to_node_parameters(const Parameters& work) {
    return work;
}

}  // namespace coalesce::simulator::cudart
