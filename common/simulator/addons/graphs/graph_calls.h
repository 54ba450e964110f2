// Declares the steps that all graph functions share: taking the lock and looking up handles.
#pragma once

#include <mutex>

#include "simulator/addons/graphs/graphs.h"
#include "simulator/cudart/api.h"

namespace coalesce::simulator::cudart {

/// Returns the object that a handle refers to. If the handle is invalid, refuses the call with a
/// message that names the type of the handle, such as "graph".
template <class Handle>
auto& require_known(Handle handle, const char* handle_type) {
    auto* object = Graphs::instance().find(handle);
    if (!object) refuse(std::string("the ") + handle_type + " was destroyed, or never created.");
    return *object;
}
inline Graph& find_graph(cudaGraph_t handle) {
    return require_known(handle, "graph");
}
inline Node& find_node(cudaGraphNode_t handle) {
    return require_known(handle, "node");
}
inline Executable& find_executable(cudaGraphExec_t handle) {
    return require_known(handle, "executable graph");
}

/// Returns the copy of the node `original` in the executable graph that `handle` refers to.
inline Node& find_node_in_executable(cudaGraphExec_t handle, cudaGraphNode_t original) {
    Node* node = find_executable(handle).graph->find_copy(Graphs::instance().find(original));
    if (!node) refuse("the node does not belong to the instantiated graph.");
    return *node;
}

template <class Body, class... Arguments>
cudaError_t run_graph_call(const char* name, Body body, const Arguments&... arguments) noexcept {
    return run_device_call(name, [&] {
        std::lock_guard lock(Graphs::instance().mutex);
        body(arguments...);
    });
}

}  // namespace coalesce::simulator::cudart
