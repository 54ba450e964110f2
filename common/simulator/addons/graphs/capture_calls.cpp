// Implements the functions that begin, end and query a stream capture.
#include <utility>

#include "simulator/addons/graphs/capture_state.h"

using namespace coalesce::simulator::cudart;

namespace {

void begin_capture_to_graph(cudaStream_t stream, cudaGraph_t handle, const cudaGraphNode_t* nodes,
                            const cudaGraphEdgeData* data, size_t count,
                            cudaStreamCaptureMode mode) {
    check_stream(stream);
    std::lock_guard lock(Graphs::instance().mutex);
    Graph* graph = Graphs::instance().find(handle);
    require(graph);
    begin_capture(stream, mode, graph->shared_from_this(),
                  read_dependencies(*graph, nodes, data, count));
}

cudaStreamCaptureStatus capture_status(const std::shared_ptr<Capture>& capture) {
    if (!capture) return cudaStreamCaptureStatusNone;
    return capture->is_valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
}

/// Returns the nodes on which the stream's next node will depend. The capture owns the returned
/// arrays, because the program may read them after the call.
void return_ends(Capture& capture, cudaStream_t stream, const cudaGraphNode_t** returned_nodes,
                 const cudaGraphEdgeData** returned_edge_data, size_t* count) {
    std::vector<cudaGraphNode_t>& nodes = capture.returned_nodes[stream];
    std::vector<cudaGraphEdgeData>& data = capture.returned_edge_data[stream];
    nodes.clear();
    data.clear();
    for (const Dependency& dependency : capture.stream_ends[stream]) {
        nodes.push_back(to_handle(dependency.node));
        data.push_back(dependency.data);
    }
    if (returned_nodes) *returned_nodes = nodes.data();
    if (returned_edge_data) *returned_edge_data = data.data();
    if (count) *count = nodes.size();
}

void change_ends(cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* data,
                 size_t count, unsigned flags) {
    check_stream(stream);
    std::lock_guard lock(Graphs::instance().mutex);
    const auto capture = find_capture(stream);
    require(capture != nullptr, cudaErrorIllegalState);
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    require(flags <= cudaStreamSetCaptureDependencies);
    const std::vector<Dependency> given_dependencies =
        read_dependencies(*capture->graph, nodes, data, count);
    std::vector<Dependency>& stream_ends = capture->stream_ends[stream];
    if (flags == cudaStreamSetCaptureDependencies) stream_ends.clear();
    merge_dependencies(stream_ends, given_dependencies);
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return run_stream_call(__func__, stream,
                           [&] { return begin_capture(stream, mode, nullptr, {}); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamBeginCapture, _ptsz);

COALESCE_BY(run_device_call, cudaStreamBeginCaptureToGraph, begin_capture_to_graph, 6);
COALESCE_PER_THREAD_STREAM(cudaStreamBeginCaptureToGraph, _ptsz);

COALESCE_BY(run_device_call, cudaStreamEndCapture, end_capture, 2);
COALESCE_PER_THREAD_STREAM(cudaStreamEndCapture, _ptsz);

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return run_stream_call(__func__, stream, [&] {
        require(status);
        check_default_stream_order(stream);
        *status = capture_status(find_capture(stream));
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamIsCapturing, _ptsz);

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** nodes, const cudaGraphEdgeData** data,
                                     size_t* count) {
    return run_stream_call(__func__, stream, [&] {
        require(status && (nodes || !data));
        check_default_stream_order(stream);
        std::lock_guard lock(Graphs::instance().mutex);
        const auto capture = find_capture(stream);
        *status = capture_status(capture);
        const bool is_active = *status == cudaStreamCaptureStatusActive;
        if (id) *id = is_active ? capture->id : 0;
        if (graph) *graph = is_active ? to_handle(capture->graph.get()) : nullptr;
        if (is_active) return return_ends(*capture, stream, nodes, data, count);
        if (nodes) *nodes = nullptr;
        if (data) *data = nullptr;
        if (count) *count = 0;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetCaptureInfo, _ptsz);

COALESCE_BY(run_device_call, cudaStreamUpdateCaptureDependencies, change_ends, 5);
COALESCE_PER_THREAD_STREAM(cudaStreamUpdateCaptureDependencies, _ptsz);

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return run_call(__func__, [&] {
        require(mode && *mode >= cudaStreamCaptureModeGlobal &&
                *mode <= cudaStreamCaptureModeRelaxed);
        std::swap(*mode, thread_capture_mode);
    });
}
