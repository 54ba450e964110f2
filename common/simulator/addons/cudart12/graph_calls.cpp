// Implements CUDA 12's functions for graphs and captures. They take no edge data, whereas their
// CUDA 13 counterparts take a list of edge data. calls.cpp explains how a CUDA 12 function is
// exported.
#include "simulator/addons/cudart12/older.h"

COALESCE_NEXT(add_dependencies, cudaGraphAddDependencies);
COALESCE_NEXT(remove_dependencies, cudaGraphRemoveDependencies);
COALESCE_NEXT(add_node, cudaGraphAddNode);
COALESCE_NEXT(get_edges, cudaGraphGetEdges);
COALESCE_NEXT(get_dependencies, cudaGraphNodeGetDependencies);
COALESCE_NEXT(get_dependents, cudaGraphNodeGetDependentNodes);
COALESCE_NEXT(capture_info, cudaStreamGetCaptureInfo);
COALESCE_NEXT(update_capture, cudaStreamUpdateCaptureDependencies);

using Node = cudaGraphNode_t;

COALESCE_OLDER(older_add_dependencies, cudaGraphAddDependencies, cudaGraph_t graph,
               const Node* from, const Node* to, size_t count);
cudaError_t older_add_dependencies(cudaGraph_t graph, const Node* from, const Node* to,
                                   size_t count) {
    return next::add_dependencies(graph, from, to, nullptr, count);
}

COALESCE_OLDER(older_remove_dependencies, cudaGraphRemoveDependencies, cudaGraph_t graph,
               const Node* from, const Node* to, size_t count);
cudaError_t older_remove_dependencies(cudaGraph_t graph, const Node* from, const Node* to,
                                      size_t count) {
    return next::remove_dependencies(graph, from, to, nullptr, count);
}

COALESCE_OLDER(older_add_node, cudaGraphAddNode, Node* node, cudaGraph_t graph,
               const Node* dependencies, size_t count, cudaGraphNodeParams* parameters);
cudaError_t older_add_node(Node* node, cudaGraph_t graph, const Node* dependencies, size_t count,
                           cudaGraphNodeParams* parameters) {
    return next::add_node(node, graph, dependencies, nullptr, count, parameters);
}

COALESCE_OLDER(older_get_edges, cudaGraphGetEdges, cudaGraph_t graph, Node* from, Node* to,
               size_t* count);
cudaError_t older_get_edges(cudaGraph_t graph, Node* from, Node* to, size_t* count) {
    return next::get_edges(graph, from, to, nullptr, count);
}

COALESCE_OLDER(older_get_dependencies, cudaGraphNodeGetDependencies, Node node, Node* nodes,
               size_t* count);
cudaError_t older_get_dependencies(Node node, Node* nodes, size_t* count) {
    return next::get_dependencies(node, nodes, nullptr, count);
}

COALESCE_OLDER(older_get_dependents, cudaGraphNodeGetDependentNodes, Node node, Node* nodes,
               size_t* count);
cudaError_t older_get_dependents(Node node, Node* nodes, size_t* count) {
    return next::get_dependents(node, nodes, nullptr, count);
}

/// Implements cudaStreamGetCaptureInfo without a version suffix. This is the CUDA 11 function,
/// which returns only the status and the identifier of the capture.
COALESCE_OLDER(oldest_capture_info, cudaStreamGetCaptureInfo, cudaStream_t stream,
               cudaStreamCaptureStatus* status, unsigned long long* id);
cudaError_t oldest_capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                unsigned long long* id) {
    return next::capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

COALESCE_OLDER(older_capture_info, cudaStreamGetCaptureInfo_v2, cudaStream_t stream,
               cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
               const Node** nodes, size_t* count);
cudaError_t older_capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status,
                               unsigned long long* id, cudaGraph_t* graph, const Node** nodes,
                               size_t* count) {
    return next::capture_info(stream, status, id, graph, nodes, nullptr, count);
}

COALESCE_OLDER(older_update_capture, cudaStreamUpdateCaptureDependencies, cudaStream_t stream,
               Node* nodes, size_t count, unsigned flags);
cudaError_t older_update_capture(cudaStream_t stream, Node* nodes, size_t count, unsigned flags) {
    return next::update_capture(stream, nodes, nullptr, count, flags);
}

COALESCE_SAME_PER_THREAD(cudaStreamGetCaptureInfo);
COALESCE_SAME_PER_THREAD(cudaStreamGetCaptureInfo_v2);
COALESCE_SAME_PER_THREAD(cudaStreamUpdateCaptureDependencies);
