// Implements functions for whole graphs and their edges: create, destroy, clone, list and connect.
#include <algorithm>

#include "simulator/addons/graphs/graph_calls.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

// ---- lists ----

/// Returns a list to the program. If the program passed no array, stores only the length of the
/// list. Otherwise, fills the array.
template <class T, class StoreItem>
void copy_list_out(const std::vector<T>& list, bool is_wanted, size_t* count,
                   StoreItem store_item) {
    require(count);
    if (is_wanted) {
        for (size_t i = 0; i < *count; ++i) store_item(i, i < list.size() ? list[i] : T{});
        *count = std::min(*count, list.size());
    } else {
        *count = list.size();
    }
}

void copy_nodes_out(const std::vector<Node*>& list, cudaGraphNode_t* nodes, size_t* count) {
    copy_list_out(list, nodes != nullptr, count,
                  [&](size_t i, Node* node) { nodes[i] = to_handle(node); });
}

bool is_plain(const Dependency& edge) {
    return edge.data.from_port == 0 && edge.data.to_port == 0 && edge.data.type == 0;
}

void copy_edges_out(const std::vector<Dependency>& list, cudaGraphNode_t* nodes,
                    cudaGraphEdgeData* data, size_t* count) {
    require(nodes || !data);
    // Fail if any edge has data, because a list without the data would be incomplete.
    require(!nodes || data || std::all_of(list.begin(), list.end(), is_plain), cudaErrorLossyQuery);
    copy_list_out(list, nodes != nullptr, count, [&](size_t i, const Dependency& edge) {
        nodes[i] = to_handle(edge.node);
        if (data) data[i] = edge.data;
    });
}

std::vector<Dependency> find_dependents(const Node& node) {
    std::vector<Dependency> dependents;
    for (const auto& candidate : node.graph->nodes()) {
        for (const Dependency& dependency : candidate->dependencies) {
            if (dependency.node == &node) dependents.push_back({candidate.get(), dependency.data});
        }
    }
    return dependents;
}

void copy_all_edges_out(const Graph& graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                        cudaGraphEdgeData* data, size_t* count) {
    require((from == nullptr) == (to == nullptr) && count);
    std::vector<Dependency> edge_starts;
    std::vector<Node*> edge_ends;
    for (const auto& node : graph.nodes()) {
        for (const Dependency& dependency : node->dependencies) {
            edge_starts.push_back(dependency);
            edge_ends.push_back(node.get());
        }
    }
    size_t capacity = *count;
    copy_edges_out(edge_starts, from, data, count);
    if (to) copy_nodes_out(edge_ends, to, &capacity);
}

// ---- edges ----

struct Edge {
    Node* start;
    Node* end;
    cudaGraphEdgeData data;
};

std::vector<Edge> read_edges(const Graph& graph, const cudaGraphNode_t* from,
                             const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                             size_t count) {
    require(count == 0 || (from && to));
    std::vector<Edge> edges;
    for (size_t i = 0; i < count; ++i) {
        const Edge edge{Graphs::instance().find(from[i]), Graphs::instance().find(to[i]),
                        data ? data[i] : cudaGraphEdgeData{}};
        if (!edge.start || !edge.end || edge.start->graph != &graph || edge.end->graph != &graph)
            refuse("edge " + std::to_string(i) +
                   " begins or ends at a node that is not in the graph.");
        edges.push_back(edge);
    }
    return edges;
}

void add_edges(const std::vector<Edge>& edges) {
    for (const Edge& edge : edges) {
        if (edge.start == edge.end || edge.end->depends_on(edge.start))
            refuse(edge.start == edge.end ? "a node cannot depend on itself."
                                          : "this edge already exists.");
    }
    for (const Edge& edge : edges) edge.end->dependencies.push_back({edge.start, edge.data});
}

void remove_edges(const Graph& graph, const std::vector<Edge>& edges) {
    if (!edges.empty() && graph.any_node(is_memory_node))
        fail_not_supported("edges cannot be removed from a graph that allocates or frees memory.");
    for (const Edge& edge : edges) {
        if (!edge.end->depends_on(edge.start)) refuse("this edge does not exist.");
    }
    for (const Edge& edge : edges) {
        std::erase_if(edge.end->dependencies, [&](const Dependency& existing_edge) {
            return existing_edge.node == edge.start;
        });
    }
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    return run_graph_call(__func__, [&] {
        require(graph && flags == 0);
        *graph = Graphs::instance().add_graph(std::make_shared<Graph>());
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    return run_graph_call(__func__, [&] {
        if (!Graphs::instance().destroy(&find_graph(handle)))
            refuse("the graph belongs to a node of another graph, or is being captured.");
    });
}

cudaError_t cudaGraphClone(cudaGraph_t* handle, cudaGraph_t original) {
    return run_graph_call(__func__, [&] {
        const Graph& graph = find_graph(original);
        require(handle);
        if (graph.any_node(is_memory_node) || graph.any_node(is_conditional) ||
            !graph.conditions.empty())
            fail_not_supported(
                "a graph that allocates memory, or has conditional nodes, cannot be cloned.");
        *handle = Graphs::instance().add_graph(graph.copy());
    });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
    return run_graph_call(__func__, [&] {
        Graph& graph = find_graph(clone);
        const Node* node = Graphs::instance().find(original);
        Node* copied_node = node ? graph.find_copy(node) : nullptr;
        require(copied_node);
        store_output(found, to_handle(copied_node));
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    return run_graph_call(__func__, [&] {
        std::vector<Node*> node_list;
        for (const auto& node : find_graph(handle).nodes()) node_list.push_back(node.get());
        copy_nodes_out(node_list, nodes, count);
    });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    return run_graph_call(__func__, [&] {
        std::vector<Node*> node_list;
        for (const auto& node : find_graph(handle).nodes()) {
            if (node->dependencies.empty()) node_list.push_back(node.get());
        }
        copy_nodes_out(node_list, nodes, count);
    });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, size_t* count) {
    return run_graph_call(__func__,
                          [&] { copy_all_edges_out(find_graph(graph), from, to, data, count); });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, size_t* count) {
    return run_graph_call(
        __func__, [&] { copy_edges_out(find_node(node).dependencies, nodes, data, count); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, size_t* count) {
    return run_graph_call(
        __func__, [&] { copy_edges_out(find_dependents(find_node(node)), nodes, data, count); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                     size_t count) {
    return run_graph_call(__func__,
                          [&] { add_edges(read_edges(find_graph(graph), from, to, data, count)); });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                        size_t count) {
    return run_graph_call(__func__, [&] {
        const Graph& graph = find_graph(handle);
        remove_edges(graph, read_edges(graph, from, to, data, count));
    });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    return run_graph_call(__func__, [&] {
        Node& node = find_node(handle);
        if (node.graph->any_node(is_memory_node))
            fail_not_supported(
                "nodes cannot be removed from a graph that allocates or frees memory.");
        node.graph->remove(node);
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return run_graph_call(__func__, [&] { store_output(type, find_node(node).type()); });
}
