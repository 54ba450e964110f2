// Implements the driver's graph functions whose parameters match the runtime's.
// CUDA_KERNEL_NODE_PARAMS begins with the members of cudaKernelNodeParams. The parameter structures
// of the other nodes in this file are identical to the runtime's.
#include "simulator/addons/driver/boxes.h"
#include "simulator/addons/driver/driver.h"

using namespace coalesce::simulator::driver;

extern "C" {

COALESCE_SAME(cuGraphCreate, cudaGraphCreate, 2);
COALESCE_SAME(cuGraphDestroy, cudaGraphDestroy, 1);
COALESCE_SAME(cuGraphClone, cudaGraphClone, 2);
COALESCE_SAME(cuGraphNodeFindInClone, cudaGraphNodeFindInClone, 3);
COALESCE_SAME(cuGraphNodeGetType, cudaGraphNodeGetType, 2);
COALESCE_SAME(cuGraphGetNodes, cudaGraphGetNodes, 3);
COALESCE_SAME(cuGraphGetRootNodes, cudaGraphGetRootNodes, 3);
COALESCE_SAME(cuGraphGetEdges_v2, cudaGraphGetEdges, 5);
COALESCE_SAME(cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies, 4);
COALESCE_SAME(cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes, 4);
COALESCE_SAME(cuGraphAddDependencies_v2, cudaGraphAddDependencies, 5);
COALESCE_SAME(cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies, 5);
COALESCE_SAME(cuGraphDestroyNode, cudaGraphDestroyNode, 1);

// ---- nodes ----

COALESCE_SAME(cuGraphAddKernelNode_v2, cudaGraphAddKernelNode, 5);
COALESCE_SAME(cuGraphKernelNodeSetParams_v2, cudaGraphKernelNodeSetParams, 2);
COALESCE_SAME(cuGraphExecKernelNodeSetParams_v2, cudaGraphExecKernelNodeSetParams, 3);

Result cuGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                            size_t count, const cudaMemsetParams* parameters, void*) {
    return forward_with_context(__func__, cudaGraphAddMemsetNode, node, graph, after, count,
                                parameters);
}

COALESCE_SAME(cuGraphAddHostNode, cudaGraphAddHostNode, 5);
COALESCE_SAME(cuGraphAddEmptyNode, cudaGraphAddEmptyNode, 4);
COALESCE_SAME(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode, 5);
COALESCE_SAME(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode, 5);
COALESCE_SAME(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode, 5);

Result cuGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                            size_t count, const Copy3D* copy, void*) {
    return call_with_context(__func__, [&] {
        const cudaMemcpy3DParms box = to_runtime_copy(copy);
        require_success(cudaGraphAddMemcpyNode(node, graph, after, count, &box));
    });
}

Result cuGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                      const Copy3D* copy, void*) {
    return call_with_context(__func__, [&] {
        const cudaMemcpy3DParms box = to_runtime_copy(copy);
        require_success(cudaGraphExecMemcpyNodeSetParams(executable, node, &box));
    });
}

COALESCE_SAME(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams, 2);

Result cuGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                      const cudaMemsetParams* parameters, void*) {
    return forward_with_context(__func__, cudaGraphExecMemsetNodeSetParams, executable, node,
                                parameters);
}

COALESCE_SAME(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams, 2);
COALESCE_SAME(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams, 2);
COALESCE_SAME(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams, 3);
COALESCE_SAME(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph, 2);
COALESCE_SAME(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams, 3);
COALESCE_SAME(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode, 5);
COALESCE_SAME(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode, 5);

Result cuGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, void*,
                                      unsigned value, unsigned flags) {
    return forward_with_context(__func__, cudaGraphConditionalHandleCreate, handle, graph, value,
                                flags);
}

/// A CUgraphNodeParams has the layout of a cudaGraphNodeParams, except that some of its parameter
/// structures are followed by a context. Copy nodes are not supported, because their description
/// differs from the runtime's.
Result cuGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                         const cudaGraphEdgeData* data, size_t count,
                         cudaGraphNodeParams* parameters) {
    return call_with_context(__func__, [&] {
        if (parameters && parameters->type == cudaGraphNodeTypeMemcpy)
            require_success(
                coalesceDriverMissing("a copy by cuGraphAddNode", "use cuGraphAddMemcpyNode"));
        require_success(cudaGraphAddNode(node, graph, after, data, count, parameters));
    });
}

COALESCE_SAME(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled, 3);
COALESCE_SAME(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled, 3);

// ---- user objects and graph memory ----

COALESCE_SAME(cuUserObjectCreate, cudaUserObjectCreate, 5);
COALESCE_SAME(cuUserObjectRetain, cudaUserObjectRetain, 2);
COALESCE_SAME(cuUserObjectRelease, cudaUserObjectRelease, 2);
COALESCE_SAME(cuGraphRetainUserObject, cudaGraphRetainUserObject, 4);
COALESCE_SAME(cuGraphReleaseUserObject, cudaGraphReleaseUserObject, 3);
COALESCE_SAME_ANYWHERE(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute, 3);
COALESCE_SAME_ANYWHERE(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute, 3);
COALESCE_SAME_ANYWHERE(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim, 1);
COALESCE_SAME(cuGraphDebugDotPrint, cudaGraphDebugDotPrint, 3);

// ---- running ----

COALESCE_SAME(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags, 3);
COALESCE_SAME_IN_STREAM(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams, 3);
COALESCE_SAME(cuGraphExecGetFlags, cudaGraphExecGetFlags, 2);
COALESCE_SAME_IN_STREAM(cuGraphLaunch, cudaGraphLaunch, 2);
COALESCE_SAME_IN_STREAM(cuGraphUpload, cudaGraphUpload, 2);
COALESCE_SAME(cuGraphExecUpdate_v2, cudaGraphExecUpdate, 3);
COALESCE_SAME(cuGraphExecDestroy, cudaGraphExecDestroy, 1);

}  // extern "C"
