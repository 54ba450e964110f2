// Graphs, where the driver takes what the runtime takes. CUDA_KERNEL_NODE_PARAMS begins as
// cudaKernelNodeParams does, and the parameters of the other nodes here are equal.
#include "driver/driver.h"

using namespace coalesce::sim::driver;

extern "C" {

Result cuGraphCreate(cudaGraph_t* graph, unsigned flags) {
    return same(__func__, cudaGraphCreate, graph, flags);
}

Result cuGraphDestroy(cudaGraph_t graph) {
    return same(__func__, cudaGraphDestroy, graph);
}

Result cuGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    return same(__func__, cudaGraphClone, clone, graph);
}

Result cuGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t node, cudaGraph_t clone) {
    return same(__func__, cudaGraphNodeFindInClone, found, node, clone);
}

Result cuGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return same(__func__, cudaGraphNodeGetType, node, type);
}

Result cuGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    return same(__func__, cudaGraphGetNodes, graph, nodes, count);
}

Result cuGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    return same(__func__, cudaGraphGetRootNodes, graph, nodes, count);
}

Result cuGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                          cudaGraphEdgeData* data, size_t* count) {
    return same(__func__, cudaGraphGetEdges, graph, from, to, data, count);
}

Result cuGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                     cudaGraphEdgeData* data, size_t* count) {
    return same(__func__, cudaGraphNodeGetDependencies, node, nodes, data, count);
}

Result cuGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                       cudaGraphEdgeData* data, size_t* count) {
    return same(__func__, cudaGraphNodeGetDependentNodes, node, nodes, data, count);
}

Result cuGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                 const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                 size_t count) {
    return same(__func__, cudaGraphAddDependencies, graph, from, to, data, count);
}

Result cuGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                    const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                    size_t count) {
    return same(__func__, cudaGraphRemoveDependencies, graph, from, to, data, count);
}

Result cuGraphDestroyNode(cudaGraphNode_t node) {
    return same(__func__, cudaGraphDestroyNode, node);
}

// ---- nodes ----

Result cuGraphAddKernelNode_v2(cudaGraphNode_t* node, cudaGraph_t graph,
                               const cudaGraphNode_t* after, size_t count,
                               const cudaKernelNodeParams* parameters) {
    return same(__func__, cudaGraphAddKernelNode, node, graph, after, count, parameters);
}

Result cuGraphKernelNodeSetParams_v2(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
    return same(__func__, cudaGraphKernelNodeSetParams, node, parameters);
}

Result cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t executable, cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
    return same(__func__, cudaGraphExecKernelNodeSetParams, executable, node, parameters);
}

Result cuGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                            size_t count, const cudaMemsetParams* parameters, void*) {
    return same(__func__, cudaGraphAddMemsetNode, node, graph, after, count, parameters);
}

Result cuGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                          size_t count, const cudaHostNodeParams* parameters) {
    return same(__func__, cudaGraphAddHostNode, node, graph, after, count, parameters);
}

Result cuGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                           size_t count) {
    return same(__func__, cudaGraphAddEmptyNode, node, graph, after, count);
}

Result cuGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                const cudaGraphNode_t* after, size_t count, cudaGraph_t child) {
    return same(__func__, cudaGraphAddChildGraphNode, node, graph, after, count, child);
}

Result cuGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count, cudaEvent_t event) {
    return same(__func__, cudaGraphAddEventRecordNode, node, graph, after, count, event);
}

Result cuGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                               const cudaGraphNode_t* after, size_t count, cudaEvent_t event) {
    return same(__func__, cudaGraphAddEventWaitNode, node, graph, after, count, event);
}

// ---- running ----

Result cuGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                   unsigned long long flags) {
    return same(__func__, cudaGraphInstantiateWithFlags, executable, graph, flags);
}

Result cuGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    return same(__func__, cudaGraphLaunch, executable, stream);
}
COALESCE_PER_THREAD_STREAM(cuGraphLaunch, _ptsz);

Result cuGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    return same(__func__, cudaGraphUpload, executable, stream);
}
COALESCE_PER_THREAD_STREAM(cuGraphUpload, _ptsz);

Result cuGraphExecUpdate_v2(cudaGraphExec_t executable, cudaGraph_t graph,
                            cudaGraphExecUpdateResultInfo* info) {
    return same(__func__, cudaGraphExecUpdate, executable, graph, info);
}

Result cuGraphExecDestroy(cudaGraphExec_t executable) {
    return same(__func__, cudaGraphExecDestroy, executable);
}

}  // extern "C"
