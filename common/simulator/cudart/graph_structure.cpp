// Graphs as a whole, and their edges: create, destroy, clone, list, connect.
#include <algorithm>

#include "cudart/graph_calls.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

// ---- lists ----

/// Gives a list as all such calls do: its length alone, or as much of it as there is room for.
template <class T, class Give>
cudaError_t give_list(const std::vector<T>& list, bool is_wanted, size_t* count, Give give) {
    if (!count) return cudaErrorInvalidValue;
    if (is_wanted) {
        for (size_t i = 0; i < *count; ++i) give(i, i < list.size() ? list[i] : T{});
        *count = std::min(*count, list.size());
    } else {
        *count = list.size();
    }
    return cudaSuccess;
}

cudaError_t give_nodes(const std::vector<Node*>& list, cudaGraphNode_t* nodes, size_t* count) {
    return give_list(list, nodes != nullptr, count,
                     [&](size_t i, Node* node) { nodes[i] = handle_of(node); });
}

bool is_plain(const cudaGraphEdgeData& data) {
    return data.from_port == 0 && data.to_port == 0 && data.type == 0;
}

/// A list without the data that some of its edges have would be a wrong answer.
bool loses_data(const std::vector<Dependency>& list, const cudaGraphNode_t* nodes,
                const cudaGraphEdgeData* data) {
    return nodes && !data && !std::all_of(list.begin(), list.end(), [](const Dependency& edge) {
               return is_plain(edge.data);
           });
}

cudaError_t give_edges(const std::vector<Dependency>& list, cudaGraphNode_t* nodes,
                       cudaGraphEdgeData* data, size_t* count) {
    if (data && !nodes) return cudaErrorInvalidValue;
    if (loses_data(list, nodes, data)) return cudaErrorLossyQuery;
    return give_list(list, nodes != nullptr, count, [&](size_t i, const Dependency& edge) {
        nodes[i] = handle_of(edge.node);
        if (data) data[i] = edge.data;
    });
}

std::vector<Dependency> dependents_of(const Node& node) {
    std::vector<Dependency> found;
    for (const auto& other : node.graph->nodes()) {
        for (const Dependency& before : other->dependencies) {
            if (before.node == &node) found.push_back({other.get(), before.data});
        }
    }
    return found;
}

/// `ends[i]` is the later node of edge i of `starts`.
void collect_edges(const Graph& graph, std::vector<Dependency>& starts, std::vector<Node*>& ends) {
    for (const auto& node : graph.nodes()) {
        for (const Dependency& before : node->dependencies) {
            starts.push_back(before);
            ends.push_back(node.get());
        }
    }
}

cudaError_t give_all_edges(const Graph& graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                           cudaGraphEdgeData* data, size_t* count) {
    if ((from == nullptr) != (to == nullptr) || !count) return cudaErrorInvalidValue;
    std::vector<Dependency> starts;
    std::vector<Node*> ends;
    collect_edges(graph, starts, ends);
    size_t room = *count;
    const cudaError_t error = give_edges(starts, from, data, count);
    return error == cudaSuccess && to ? give_nodes(ends, to, &room) : error;
}

// ---- edges ----

struct Edge {
    Node* from;
    Node* to;
    cudaGraphEdgeData data;
};

cudaError_t read_edges(const Graph& graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                       const cudaGraphEdgeData* data, size_t count, std::vector<Edge>& edges) {
    if (count > 0 && (!from || !to)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
        const Edge edge{Graphs::instance().find(from[i]), Graphs::instance().find(to[i]),
                        data ? data[i] : cudaGraphEdgeData{}};
        if (!edge.from || !edge.to || edge.from->graph != &graph || edge.to->graph != &graph)
            return refuse("edge " + std::to_string(i) +
                          " has an end that is no node of the graph.");
        edges.push_back(edge);
    }
    return cudaSuccess;
}

cudaError_t add_edges(const std::vector<Edge>& edges) {
    for (const Edge& edge : edges) {
        if (edge.from == edge.to || edge.to->depends_on(edge.from))
            return refuse(edge.from == edge.to ? "a node cannot depend on itself."
                                               : "there is such an edge already.");
    }
    for (const Edge& edge : edges) edge.to->dependencies.push_back({edge.from, edge.data});
    return cudaSuccess;
}

cudaError_t remove_edges(const Graph& graph, const std::vector<Edge>& edges) {
    if (!edges.empty() && graph.has(is_of_memory)) {
        return not_supported("a graph that allocates or frees memory keeps its edges.");
    }
    for (const Edge& edge : edges) {
        if (!edge.to->depends_on(edge.from)) return refuse("there is no such edge.");
    }
    for (const Edge& edge : edges) {
        std::erase_if(edge.to->dependencies,
                      [&](const Dependency& before) { return before.node == edge.from; });
    }
    return cudaSuccess;
}

cudaError_t clone(cudaGraph_t* handle, const Graph& graph) {
    if (!handle) return cudaErrorInvalidValue;
    if (graph.has(is_of_memory) || graph.has(is_conditional) || !graph.conditions.empty()) {
        return not_supported(
            "a graph that allocates memory, or has conditional nodes, cannot be cloned.");
    }
    *handle = Graphs::instance().keep(graph.copy());
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    return graph_call(__func__, [&] {
        if (!graph || flags != 0) return cudaErrorInvalidValue;
        *graph = Graphs::instance().keep(std::make_shared<Graph>());
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    return with_graph(__func__, handle, [](Graph& graph) {
        if (Graphs::instance().destroy(&graph)) return cudaSuccess;
        return refuse("the graph is part of a node, or is being captured.");
    });
}

cudaError_t cudaGraphClone(cudaGraph_t* handle, cudaGraph_t original) {
    return with_graph(__func__, original, [&](Graph& graph) { return clone(handle, graph); });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
    return with_graph(__func__, clone, [&](Graph& graph) {
        const Node* node = Graphs::instance().find(original);
        Node* copied = node ? graph.copy_of(node) : nullptr;
        if (!found || !copied) return cudaErrorInvalidValue;
        *found = handle_of(copied);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    return with_graph(__func__, handle, [&](Graph& graph) {
        std::vector<Node*> list;
        for (const auto& node : graph.nodes()) list.push_back(node.get());
        return give_nodes(list, nodes, count);
    });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    return with_graph(__func__, handle, [&](Graph& graph) {
        std::vector<Node*> list;
        for (const auto& node : graph.nodes()) {
            if (node->dependencies.empty()) list.push_back(node.get());
        }
        return give_nodes(list, nodes, count);
    });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, size_t* count) {
    return with_graph(__func__, handle,
                      [&](Graph& graph) { return give_all_edges(graph, from, to, data, count); });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, size_t* count) {
    return with_node(__func__, handle,
                     [&](Node& node) { return give_edges(node.dependencies, nodes, data, count); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, size_t* count) {
    return with_node(__func__, handle, [&](Node& node) {
        return give_edges(dependents_of(node), nodes, data, count);
    });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                     size_t count) {
    return with_graph(__func__, handle, [&](Graph& graph) {
        std::vector<Edge> edges;
        if (const cudaError_t error = read_edges(graph, from, to, data, count, edges)) return error;
        return add_edges(edges);
    });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                        size_t count) {
    return with_graph(__func__, handle, [&](Graph& graph) {
        std::vector<Edge> edges;
        if (const cudaError_t error = read_edges(graph, from, to, data, count, edges)) return error;
        return remove_edges(graph, edges);
    });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    return with_node(__func__, handle, [](Node& node) {
        if (node.graph->has(is_of_memory)) {
            return not_supported("a graph that allocates or frees memory keeps its nodes.");
        }
        node.graph->remove(node);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
    return with_node(__func__, handle, [&](Node& node) {
        if (!type) return cudaErrorInvalidValue;
        *type = node.type();
        return cudaSuccess;
    });
}
