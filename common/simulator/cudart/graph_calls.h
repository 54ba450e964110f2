// What surrounds the body of every call about graphs: the lock, and handles made into what they name.
#pragma once

#include <mutex>

#include "cudart/api.h"
#include "cudart/graphs.h"

namespace coalesce::sim::cudart {

inline cudaError_t unknown_handle(const char* what) {
    return refuse(std::string("the ") + what + " was destroyed, or never created.");
}

template <class Body>
cudaError_t graph_call(const char* name, Body body) noexcept {
    return api(name, [&]() -> cudaError_t {
        std::lock_guard lock(Graphs::instance().mutex);
        return body();
    });
}

template <class Body>
cudaError_t with_graph(const char* name, cudaGraph_t handle, Body body) noexcept {
    return graph_call(name, [&]() -> cudaError_t {
        Graph* graph = Graphs::instance().find(handle);
        return graph ? body(*graph) : unknown_handle("graph");
    });
}

template <class Body>
cudaError_t with_node(const char* name, cudaGraphNode_t handle, Body body) noexcept {
    return graph_call(name, [&]() -> cudaError_t {
        Node* node = Graphs::instance().find(handle);
        return node ? body(*node) : unknown_handle("node");
    });
}

/// The executable, and its copy of the node.
template <class Body>
cudaError_t with_executable_node(const char* name, cudaGraphExec_t handle, cudaGraphNode_t original,
                                 Body body) noexcept {
    return graph_call(name, [&]() -> cudaError_t {
        Executable* executable = Graphs::instance().find(handle);
        if (!executable) return unknown_handle("executable graph");
        Node* node = executable->graph->copy_of(Graphs::instance().find(original));
        if (node) return body(*node);
        return refuse("the node is not one of the graph that was instantiated.");
    });
}

}  // namespace coalesce::sim::cudart
