// The parameters of nodes: what a program gives made into work, and back.
#pragma once

#include <cuda_runtime_api.h>

#include "cudart/graphs.h"

namespace coalesce::sim::cudart {

cudaError_t describe(const cudaKernelNodeParams* parameters, Work& work);
cudaError_t describe(const cudaMemcpy3DParms* parameters, Work& work);
cudaError_t describe(const cudaMemsetParams* parameters, Work& work);
cudaError_t describe(const cudaHostNodeParams* parameters, Work& work);
/// The child is copied, or becomes the node's when it says so.
cudaError_t describe_child(cudaGraph_t child, bool moves, Work& work);
/// `parameters->dptr` is the address afterwards.
cudaError_t describe_allocation(cudaMemAllocNodeParams* parameters, Work& work);
cudaError_t describe_free(const Graph& graph, void* pointer, Work& work);
/// Any of them. `graph`: where the node will be.
cudaError_t describe(Graph& graph, cudaGraphNodeParams* parameters, Work& work);

cudaKernelNodeParams parameters_of(const KernelWork& work);
cudaMemsetParams parameters_of(const FillWork& work);
/// Copies and host functions are kept as they are given.
template <class Parameters>
const Parameters& parameters_of(const Parameters& work) {
    return work;
}

}  // namespace coalesce::sim::cudart
