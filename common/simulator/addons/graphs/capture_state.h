// Declares the state of an active capture, for the functions that start, end and describe captures.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "simulator/addons/graphs/graphs.h"
#include "simulator/cudart/capture.h"

namespace coalesce::simulator::cudart {

struct Capture {
    std::shared_ptr<Graph> graph;
    /// True if the capture creates its graph, and the program receives the graph when the capture
    /// ends. False if the program supplied the graph.
    bool creates_graph = true;
    cudaStream_t origin_stream = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread;
    unsigned long long id = 0;
    bool is_valid = true;
    /// For each stream in the capture, the nodes on which the stream's next node will depend.
    std::map<cudaStream_t, std::vector<Dependency>> stream_ends;
    /// For each stream, an array of its nodes in `stream_ends`. The program has received pointers
    /// to these arrays.
    std::map<cudaStream_t, std::vector<cudaGraphNode_t>> returned_nodes;
    std::map<cudaStream_t, std::vector<cudaGraphEdgeData>> returned_edge_data;
};

/// The capture mode of the calling thread. cudaThreadExchangeStreamCaptureMode changes the mode.
extern thread_local cudaStreamCaptureMode thread_capture_mode;

/// Ends all captures, because the program has called cudaDeviceReset.
void forget_captures();

/// Adds to `target` all dependencies in `added` that `target` does not contain yet.
void merge_dependencies(std::vector<Dependency>& target, const std::vector<Dependency>& added);

/// Begins a capture into `graph`, or into a new graph if `graph` is null. The first new nodes
/// depend on `first_dependencies`.
void begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph,
                   std::vector<Dependency> first_dependencies);
/// Ends the stream's capture and stores its graph in `*graph`. `graph` may be null if
/// begin_capture() received a graph.
void end_capture(cudaStream_t stream, cudaGraph_t* graph);

}  // namespace coalesce::simulator::cudart
