// The parameters of nodes: what a program gives made into work, and back.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/addons/graphs/graphs.h"

namespace coalesce::simulator::cudart {

Work describe_kernel(const cudaKernelNodeParams* parameters);
Work describe_memset(const cudaMemsetParams* parameters);
Work describe_host(const cudaHostNodeParams* parameters);
/// The child is copied, or becomes the node's when it says so.
Work describe_child(cudaGraph_t child, bool moves);
/// `parameters->dptr` is the address afterwards.
Work describe_allocation(cudaMemAllocNodeParams* parameters);
Work describe_free(const Graph& graph, void* pointer);
/// Any of them. `graph`: where the node will be.
Work describe(Graph& graph, cudaGraphNodeParams* parameters);

cudaKernelNodeParams parameters_of(const KernelWork& work);
cudaMemsetParams parameters_of(const FillWork& work);
/// Copies and host functions are kept as they are given.
template <class Parameters>
const Parameters& parameters_of(const Parameters& work) {
    return work;
}

}  // namespace coalesce::simulator::cudart
