// Declares graphs, which consist of nodes that do work and edges that order the nodes.
//
// Idea       An executable graph is a copy of the graph that the program built. The program still
//            refers to the original nodes, so each node of the copy stores a pointer to its
//            original. The nodes run one after the other, in an order that the edges allow. All
//            nodes finish before the launch returns.
// Builds on  work.h (the work of a node), graph_memory.h (allocation nodes).
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "simulator/cudart/capture.h"
#include "simulator/cudart/work.h"

namespace coalesce::simulator::cudart {

struct UserObject;

struct Node {
    Graph* graph = nullptr;
    Work work;
    std::vector<Dependency> dependencies;
    const Node* copied_from = nullptr;
    bool is_enabled = true;

    cudaGraphNodeType type() const { return find_node_type(work); }
    bool depends_on(const Node* other) const;
};

inline bool is_conditional(const Node& node) {
    return node.type() == cudaGraphNodeTypeConditional;
}

/// Reports whether the node allocates or frees graph memory.
inline bool is_memory_node(const Node& node) {
    return node.type() == cudaGraphNodeTypeMemAlloc || node.type() == cudaGraphNodeTypeMemFree;
}

class Graph : public std::enable_shared_from_this<Graph> {
public:
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    /// Returns the nodes in the order in which they were added.
    const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
    Node& add(Work work, std::vector<Dependency> dependencies);
    void remove(Node& node);

    std::shared_ptr<Graph> copy() const;
    /// Returns the copy of `original` in this graph or in a nested graph, or null if there is none.
    Node* find_copy(const Node* original);
    /// Sorts the nodes so that each node comes after the nodes that it depends on. If the graph has
    /// a cycle, returns false and stores one of the cycle's nodes in `culprit`.
    bool sort_topologically(std::vector<Node*>& order, Node*& culprit) const;
    /// Reports whether `property` is true for any node of this graph or of its nested graphs.
    bool any_node(const std::function<bool(const Node&)>& property) const;
    /// Calls `body` for this graph and for all graphs nested in it.
    void for_each_graph(const std::function<void(Graph&)>& body);

    /// True if a node or an executable graph owns this graph. The program must not destroy such a
    /// graph.
    bool is_nested = false;
    /// The number of references that the graph holds to each user object.
    std::map<UserObject*, unsigned> user_objects;
    /// The graph's condition handles. Each handle has an initial value, and a flag that says
    /// whether every launch restores this value.
    std::map<cudaGraphConditionalHandle, std::pair<unsigned, bool>> conditions;

private:
    std::vector<std::unique_ptr<Node>> nodes_;
};

/// An executable graph, which the program can launch.
struct Executable : std::enable_shared_from_this<Executable> {
    std::shared_ptr<Graph> graph;
    const Graph* original = nullptr;
    unsigned long long flags = 0;
};

/// All existing graphs, nodes and executables. Every call that uses a graph holds `mutex`, except
/// while the graph runs.
class Graphs {
public:
    static Graphs& instance();

    Graph* find(cudaGraph_t handle);
    Node* find(cudaGraphNode_t handle);
    Executable* find(cudaGraphExec_t handle);

    cudaGraph_t add_graph(std::shared_ptr<Graph> graph);
    bool destroy(Graph* graph);
    cudaGraphExec_t add_graph(std::shared_ptr<Executable> executable);
    bool destroy(Executable* executable);
    /// Reports whether an executable graph exists that the program has instantiated from
    /// `original`.
    bool has_executable(const Graph* original);
    /// Deletes all graphs, because the program has called cudaDeviceReset.
    void clear();

    std::recursive_mutex mutex;

private:
    friend class Graph;
    std::set<const Graph*> alive_;
    std::set<const Node*> nodes_;
    std::map<const Graph*, std::shared_ptr<Graph>> graphs_;
    std::map<const Executable*, std::shared_ptr<Executable>> executables_;
};

inline cudaGraph_t to_handle(Graph* graph) {
    return reinterpret_cast<cudaGraph_t>(graph);
}
inline cudaGraphNode_t to_handle(Node* node) {
    return reinterpret_cast<cudaGraphNode_t>(node);
}

/// Returns the nodes with these handles, each with the data of its edge. The data of every edge is
/// zero if `data` is null. Fails if a handle occurs twice or does not refer to a node of `graph`.
std::vector<Dependency> read_dependencies(const Graph& graph, const cudaGraphNode_t* nodes,
                                          const cudaGraphEdgeData* data, size_t count);

/// Runs the nodes of a graph, which must not contain a cycle.
void run_graph(const Graph& graph);

}  // namespace coalesce::simulator::cudart
