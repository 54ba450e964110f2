// One capture that is under way: for those who begin, end and describe captures.
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
    bool makes_graph = true;  ///< the program gets the graph in the end; else it gave it
    cudaStream_t origin = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread;
    unsigned long long id = 0;
    bool is_valid = true;
    /// For each stream that takes part, what its next node will wait for.
    std::map<cudaStream_t, std::vector<Dependency>> ends;
    /// The same as the program was told it last: arrays that it may still read.
    std::map<cudaStream_t, std::vector<cudaGraphNode_t>> told_nodes;
    std::map<cudaStream_t, std::vector<cudaGraphEdgeData>> told_data;
};

/// What cudaThreadExchangeStreamCaptureMode changes.
extern thread_local cudaStreamCaptureMode capture_mode_of_thread;

/// cudaDeviceReset: all captures are gone.
void forget_captures();

/// Adds those that are not there yet.
void merge(std::vector<Dependency>& into, const std::vector<Dependency>& from);

/// `graph`: null for a new one; else its new nodes come after `after`.
void begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph,
                   std::vector<Dependency> after);
/// `graph` may be null for a program that gave the graph itself.
void end_capture(cudaStream_t stream, cudaGraph_t* graph);

}  // namespace coalesce::simulator::cudart
