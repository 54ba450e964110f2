// Stream capture as the program calls it: begin, end, and what it may ask meanwhile.
#include <utility>

#include "cudart/capture_state.h"

using namespace coalesce::sim::cudart;

namespace {

cudaError_t begin_in_graph(cudaStream_t stream, cudaGraph_t handle, const cudaGraphNode_t* nodes,
                           const cudaGraphEdgeData* data, size_t count,
                           cudaStreamCaptureMode mode) {
    std::lock_guard lock(Graphs::instance().mutex);
    Graph* graph = Graphs::instance().find(handle);
    if (!graph) return cudaErrorInvalidValue;
    std::vector<Dependency> after;
    if (const cudaError_t error = read_dependencies(*graph, nodes, data, count, after))
        return error;
    return begin_capture(stream, mode, graph->shared_from_this(), std::move(after));
}

cudaStreamCaptureStatus status_of(const std::shared_ptr<Capture>& capture) {
    if (!capture) return cudaStreamCaptureStatusNone;
    return capture->is_valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
}

struct WantedInfo {
    unsigned long long* id;
    cudaGraph_t* graph;
    const cudaGraphNode_t** nodes;
    const cudaGraphEdgeData** data;
    size_t* count;
};

cudaError_t tell(Capture& capture, cudaStream_t stream, const WantedInfo& wanted) {
    std::vector<cudaGraphNode_t>& nodes = capture.told_nodes[stream];
    std::vector<cudaGraphEdgeData>& data = capture.told_data[stream];
    nodes.clear();
    data.clear();
    for (const Dependency& dependency : capture.ends[stream]) {
        nodes.push_back(handle_of(dependency.node));
        data.push_back(dependency.data);
    }
    if (wanted.id) *wanted.id = capture.id;
    if (wanted.graph) *wanted.graph = handle_of(capture.graph.get());
    if (wanted.nodes) *wanted.nodes = nodes.data();
    if (wanted.data) *wanted.data = data.data();
    if (wanted.count) *wanted.count = nodes.size();
    return cudaSuccess;
}

cudaError_t update_ends(cudaStream_t stream, const cudaGraphNode_t* nodes,
                        const cudaGraphEdgeData* data, size_t count, unsigned flags) {
    std::lock_guard lock(Graphs::instance().mutex);
    const auto capture = capture_of(stream);
    if (!capture) return cudaErrorIllegalState;
    if (!capture->is_valid) return cudaErrorStreamCaptureInvalidated;
    if (flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
    std::vector<Dependency> given;
    if (const cudaError_t error = read_dependencies(*capture->graph, nodes, data, count, given))
        return error;
    std::vector<Dependency>& ends = capture->ends[stream];
    if (flags == cudaStreamSetCaptureDependencies) ends.clear();
    merge(ends, given);
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return on_stream(__func__, stream, [&] { return begin_capture(stream, mode, nullptr, {}); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamBeginCapture, _ptsz);

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* nodes,
                                          const cudaGraphEdgeData* data, size_t count,
                                          cudaStreamCaptureMode mode) {
    return on_stream(__func__, stream,
                     [&] { return begin_in_graph(stream, graph, nodes, data, count, mode); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamBeginCaptureToGraph, _ptsz);

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    return on_stream(__func__, stream, [&] { return end_capture(stream, graph); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamEndCapture, _ptsz);

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return on_stream(__func__, stream, [&] {
        if (!status) return cudaErrorInvalidValue;
        const cudaError_t error = check_order(stream);
        if (error == cudaSuccess) *status = status_of(capture_of(stream));
        return error;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamIsCapturing, _ptsz);

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** nodes, const cudaGraphEdgeData** data,
                                     size_t* count) {
    return on_stream(__func__, stream, [&] {
        if (!status || (data && !nodes)) return cudaErrorInvalidValue;
        if (const cudaError_t error = check_order(stream)) return error;
        std::lock_guard lock(Graphs::instance().mutex);
        const auto capture = capture_of(stream);
        *status = status_of(capture);
        if (capture && capture->is_valid)
            return tell(*capture, stream, {id, graph, nodes, data, count});
        if (id) *id = 0;
        if (graph) *graph = nullptr;
        if (nodes) *nodes = nullptr;
        if (data) *data = nullptr;
        if (count) *count = 0;
        return cudaSuccess;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetCaptureInfo, _ptsz);

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData* data, size_t count,
                                                unsigned flags) {
    return on_stream(__func__, stream,
                     [&] { return update_ends(stream, nodes, data, count, flags); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamUpdateCaptureDependencies, _ptsz);

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return answer(__func__, [&] {
        if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
            return cudaErrorInvalidValue;
        std::swap(*mode, capture_mode_of_thread);
        return cudaSuccess;
    });
}
