// Graphs, where the driver takes what the runtime takes. CUDA_KERNEL_NODE_PARAMS begins as
// cudaKernelNodeParams does, and the parameters of the other nodes here are equal.
#include "driver/boxes.h"
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

Result cuGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                            size_t count, const Copy3D* copy, void*) {
    return in_context(__func__, [&]() -> int {
        cudaMemcpy3DParms box{};
        const Result error = describe_copy(copy, box);
        return error != kSuccess
                   ? error
                   : static_cast<int>(cudaGraphAddMemcpyNode(node, graph, after, count, &box));
    });
}

Result cuGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                      const Copy3D* copy, void*) {
    return in_context(__func__, [&]() -> int {
        cudaMemcpy3DParms box{};
        const Result error = describe_copy(copy, box);
        return error != kSuccess
                   ? error
                   : static_cast<int>(cudaGraphExecMemcpyNodeSetParams(executable, node, &box));
    });
}

Result cuGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
    return same(__func__, cudaGraphMemsetNodeSetParams, node, parameters);
}

Result cuGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                      const cudaMemsetParams* parameters, void*) {
    return same(__func__, cudaGraphExecMemsetNodeSetParams, executable, node, parameters);
}

Result cuGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
    return same(__func__, cudaGraphHostNodeGetParams, node, parameters);
}

Result cuGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
    return same(__func__, cudaGraphHostNodeSetParams, node, parameters);
}

Result cuGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    const cudaHostNodeParams* parameters) {
    return same(__func__, cudaGraphExecHostNodeSetParams, executable, node, parameters);
}

Result cuGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
    return same(__func__, cudaGraphChildGraphNodeGetGraph, node, graph);
}

Result cuGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                          cudaGraph_t child) {
    return same(__func__, cudaGraphExecChildGraphNodeSetParams, executable, node, child);
}

Result cuGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                              const cudaGraphNode_t* after, size_t count,
                              cudaMemAllocNodeParams* parameters) {
    return same(__func__, cudaGraphAddMemAllocNode, node, graph, after, count, parameters);
}

Result cuGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             size_t count, void* pointer) {
    return same(__func__, cudaGraphAddMemFreeNode, node, graph, after, count, pointer);
}

Result cuGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, void*,
                                      unsigned value, unsigned flags) {
    return same(__func__, cudaGraphConditionalHandleCreate, handle, graph, value, flags);
}

/// A CUgraphNodeParams is a cudaGraphNodeParams with contexts behind some of the parameters, and with another
/// kind of copy.
Result cuGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                         const cudaGraphEdgeData* data, size_t count,
                         cudaGraphNodeParams* parameters) {
    return in_context(__func__, [&]() -> int {
        if (parameters && parameters->type == cudaGraphNodeTypeMemcpy)
            return coalesceDriverMissing("a copy by cuGraphAddNode", "use cuGraphAddMemcpyNode");
        return cudaGraphAddNode(node, graph, after, data, count, parameters);
    });
}

Result cuGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled) {
    return same(__func__, cudaGraphNodeSetEnabled, executable, node, enabled);
}

Result cuGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* enabled) {
    return same(__func__, cudaGraphNodeGetEnabled, executable, node, enabled);
}

// ---- what graphs hold ----

Result cuUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy,
                          unsigned references, unsigned flags) {
    return same(__func__, cudaUserObjectCreate, object, pointer, destroy, references, flags);
}

Result cuUserObjectRetain(cudaUserObject_t object, unsigned count) {
    return same(__func__, cudaUserObjectRetain, object, count);
}

Result cuUserObjectRelease(cudaUserObject_t object, unsigned count) {
    return same(__func__, cudaUserObjectRelease, object, count);
}

Result cuGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                               unsigned flags) {
    return same(__func__, cudaGraphRetainUserObject, graph, object, count, flags);
}

Result cuGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
    return same(__func__, cudaGraphReleaseUserObject, graph, object, count);
}

Result cuDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    return call(__func__, [&] { return cudaDeviceGetGraphMemAttribute(device, attribute, value); });
}

Result cuDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    return call(__func__, [&] { return cudaDeviceSetGraphMemAttribute(device, attribute, value); });
}

Result cuDeviceGraphMemTrim(int device) {
    return call(__func__, [&] { return cudaDeviceGraphMemTrim(device); });
}

Result cuGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned flags) {
    return same(__func__, cudaGraphDebugDotPrint, graph, path, flags);
}

// ---- running ----

Result cuGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                   unsigned long long flags) {
    return same(__func__, cudaGraphInstantiateWithFlags, executable, graph, flags);
}

Result cuGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                    cudaGraphInstantiateParams* how) {
    return same(__func__, cudaGraphInstantiateWithParams, executable, graph, how);
}
COALESCE_PER_THREAD_STREAM(cuGraphInstantiateWithParams, _ptsz);

Result cuGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
    return same(__func__, cudaGraphExecGetFlags, executable, flags);
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
