// The state of an active capture, for the functions that start, end and describe captures.
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
    /// Whether the program receives the graph at the end; otherwise it provided it.
    bool makes_graph = true;
    cudaStream_t origin = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread;
    unsigned long long id = 0;
    bool is_valid = true;
    /// For each participating stream, what its next node will wait for.
    std::map<cudaStream_t, std::vector<Dependency>> ends;
    /// The same as last returned to the program, in arrays that it may still read.
    std::map<cudaStream_t, std::vector<cudaGraphNode_t>> told_nodes;
    std::map<cudaStream_t, std::vector<cudaGraphEdgeData>> told_data;
};

/// Changed by cudaThreadExchangeStreamCaptureMode.
extern thread_local cudaStreamCaptureMode capture_mode_of_thread;

/// Ends all captures, for cudaDeviceReset.
void forget_captures();

/// Adds the dependencies that are missing.
void merge(std::vector<Dependency>& into, const std::vector<Dependency>& from);

/// `graph` is null for a new one. Otherwise its new nodes come after `after`.
void begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph,
                   std::vector<Dependency> after);
/// `graph` may be null if the program provided the graph.
void end_capture(cudaStream_t stream, cudaGraph_t* graph);

}  // namespace coalesce::simulator::cudart
