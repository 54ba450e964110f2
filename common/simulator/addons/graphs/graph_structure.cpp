// Implements functions for whole graphs and their edges: create, destroy, clone, list and connect.
#include <algorithm>

#include "simulator/addons/graphs/graph_calls.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

// ---- lists ----

/// Returns a list in the way all graph functions do: without an array, returns only the length;
/// otherwise fills the array up to its size.
template <class T, class Give>
void give_list(const std::vector<T>& list, bool is_wanted, size_t* count, Give give) {
    need(count);
    if (is_wanted) {
        for (size_t i = 0; i < *count; ++i) give(i, i < list.size() ? list[i] : T{});
        *count = std::min(*count, list.size());
    } else {
        *count = list.size();
    }
}

void give_nodes(const std::vector<Node*>& list, cudaGraphNode_t* nodes, size_t* count) {
    give_list(list, nodes != nullptr, count,
              [&](size_t i, Node* node) { nodes[i] = handle_of(node); });
}

bool is_plain(const Dependency& edge) {
    return edge.data.from_port == 0 && edge.data.to_port == 0 && edge.data.type == 0;
}

void give_edges(const std::vector<Dependency>& list, cudaGraphNode_t* nodes,
                cudaGraphEdgeData* data, size_t* count) {
    need(nodes || !data);
    // If an edge has data, a list that leaves the data out would be incomplete, so fail.
    need(!nodes || data || std::all_of(list.begin(), list.end(), is_plain), cudaErrorLossyQuery);
    give_list(list, nodes != nullptr, count, [&](size_t i, const Dependency& edge) {
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

void give_all_edges(const Graph& graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                    cudaGraphEdgeData* data, size_t* count) {
    need((from == nullptr) == (to == nullptr) && count);
    std::vector<Dependency> starts;
    std::vector<Node*> ends;
    for (const auto& node : graph.nodes()) {
        for (const Dependency& before : node->dependencies) {
            starts.push_back(before);
            ends.push_back(node.get());
        }
    }
    size_t room = *count;
    give_edges(starts, from, data, count);
    if (to) give_nodes(ends, to, &room);
}

// ---- edges ----

struct Edge {
    Node* from;
    Node* to;
    cudaGraphEdgeData data;
};

std::vector<Edge> read_edges(const Graph& graph, const cudaGraphNode_t* from,
                             const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                             size_t count) {
    need(count == 0 || (from && to));
    std::vector<Edge> edges;
    for (size_t i = 0; i < count; ++i) {
        const Edge edge{Graphs::instance().find(from[i]), Graphs::instance().find(to[i]),
                        data ? data[i] : cudaGraphEdgeData{}};
        if (!edge.from || !edge.to || edge.from->graph != &graph || edge.to->graph != &graph)
            refuse("edge " + std::to_string(i) + " has an end that is no node of the graph.");
        edges.push_back(edge);
    }
    return edges;
}

void add_edges(const std::vector<Edge>& edges) {
    for (const Edge& edge : edges) {
        if (edge.from == edge.to || edge.to->depends_on(edge.from))
            refuse(edge.from == edge.to ? "a node cannot depend on itself."
                                        : "there is such an edge already.");
    }
    for (const Edge& edge : edges) edge.to->dependencies.push_back({edge.from, edge.data});
}

void remove_edges(const Graph& graph, const std::vector<Edge>& edges) {
    if (!edges.empty() && graph.has(is_of_memory))
        not_supported("a graph that allocates or frees memory keeps its edges.");
    for (const Edge& edge : edges) {
        if (!edge.to->depends_on(edge.from)) refuse("there is no such edge.");
    }
    for (const Edge& edge : edges) {
        std::erase_if(edge.to->dependencies,
                      [&](const Dependency& before) { return before.node == edge.from; });
    }
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    return graph_call(__func__, [&] {
        need(graph && flags == 0);
        *graph = Graphs::instance().keep(std::make_shared<Graph>());
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    return graph_call(__func__, [&] {
        if (!Graphs::instance().destroy(&known_graph(handle)))
            refuse("the graph is part of a node, or is being captured.");
    });
}

cudaError_t cudaGraphClone(cudaGraph_t* handle, cudaGraph_t original) {
    return graph_call(__func__, [&] {
        const Graph& graph = known_graph(original);
        need(handle);
        if (graph.has(is_of_memory) || graph.has(is_conditional) || !graph.conditions.empty())
            not_supported(
                "a graph that allocates memory, or has conditional nodes, cannot be cloned.");
        *handle = Graphs::instance().keep(graph.copy());
    });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
    return graph_call(__func__, [&] {
        Graph& graph = known_graph(clone);
        const Node* node = Graphs::instance().find(original);
        Node* copied = node ? graph.copy_of(node) : nullptr;
        need(copied);
        give(found, handle_of(copied));
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    return graph_call(__func__, [&] {
        std::vector<Node*> list;
        for (const auto& node : known_graph(handle).nodes()) list.push_back(node.get());
        give_nodes(list, nodes, count);
    });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    return graph_call(__func__, [&] {
        std::vector<Node*> list;
        for (const auto& node : known_graph(handle).nodes()) {
            if (node->dependencies.empty()) list.push_back(node.get());
        }
        give_nodes(list, nodes, count);
    });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, size_t* count) {
    return graph_call(__func__, [&] { give_all_edges(known_graph(graph), from, to, data, count); });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, size_t* count) {
    return graph_call(__func__,
                      [&] { give_edges(known_node(node).dependencies, nodes, data, count); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, size_t* count) {
    return graph_call(__func__,
                      [&] { give_edges(dependents_of(known_node(node)), nodes, data, count); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                     size_t count) {
    return graph_call(__func__,
                      [&] { add_edges(read_edges(known_graph(graph), from, to, data, count)); });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                        size_t count) {
    return graph_call(__func__, [&] {
        const Graph& graph = known_graph(handle);
        remove_edges(graph, read_edges(graph, from, to, data, count));
    });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    return graph_call(__func__, [&] {
        Node& node = known_node(handle);
        if (node.graph->has(is_of_memory))
            not_supported("a graph that allocates or frees memory keeps its nodes.");
        node.graph->remove(node);
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return graph_call(__func__, [&] { give(type, known_node(node).type()); });
}
