// Graphs: nodes that hold work, and the edges that say what comes before what.
//
// Idea       A graph that runs is a copy of the one that was built (Executable): its nodes remember which
//            node they are copies of, and that is how the program names them. It runs its nodes one after
//            the other, in an order that the edges allow, before the launch returns: like all work here.
// Builds on  work.h (what a node does), graph_memory.h (allocation nodes).
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
    bool enabled = true;

    cudaGraphNodeType type() const { return type_of(work); }
    bool depends_on(const Node* other) const;
};

inline bool is_conditional(const Node& node) {
    return node.type() == cudaGraphNodeTypeConditional;
}

/// Of memory that the graph allocates, or frees.
inline bool is_of_memory(const Node& node) {
    return node.type() == cudaGraphNodeTypeMemAlloc || node.type() == cudaGraphNodeTypeMemFree;
}

class Graph : public std::enable_shared_from_this<Graph> {
public:
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    /// Each node in the order in which it was added.
    const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
    Node& add(Work work, std::vector<Dependency> dependencies);
    void remove(Node& node);

    std::shared_ptr<Graph> copy() const;
    /// The copy of `original` in this graph or in a graph within it; nullptr: none.
    Node* copy_of(const Node* original);
    /// The nodes, each after all that it depends on. False: there is a cycle; `culprit` is in it.
    bool in_order(std::vector<Node*>& order, Node*& culprit) const;
    /// Whether there is such a node here or in a graph within.
    bool has(const std::function<bool(const Node&)>& property) const;
    /// Calls `body` for every graph within, and this one.
    void for_each_graph(const std::function<void(Graph&)>& body);

    bool is_part = false;  ///< of a node, or of what runs: not the program's to destroy
    std::map<UserObject*, unsigned> objects;  ///< references that the graph holds
    /// Those that were made for this graph, with what a launch sets them to.
    std::map<cudaGraphConditionalHandle, std::pair<unsigned, bool>> conditions;

private:
    std::vector<std::unique_ptr<Node>> nodes_;
};

/// A graph that can be launched.
struct Executable : std::enable_shared_from_this<Executable> {
    std::shared_ptr<Graph> graph;
    const Graph* original = nullptr;
    unsigned long long flags = 0;
};

/// Every graph, node and executable that is alive. One lock for all of it: held by every call that looks
/// at a graph, and by none while a graph runs.
class Graphs {
public:
    static Graphs& instance();

    Graph* find(cudaGraph_t handle);
    Node* find(cudaGraphNode_t handle);
    Executable* find(cudaGraphExec_t handle);

    cudaGraph_t keep(std::shared_ptr<Graph> graph);
    bool destroy(Graph* graph);
    cudaGraphExec_t keep(std::shared_ptr<Executable> executable);
    bool destroy(Executable* executable);
    /// Whether something that can be launched was made of the graph, and is there yet.
    bool has_executable(const Graph* original);
    /// cudaDeviceReset.
    void clear();

    std::recursive_mutex mutex;

private:
    friend class Graph;
    std::set<const Graph*> alive_;
    std::set<const Node*> nodes_;
    std::map<const Graph*, std::shared_ptr<Graph>> graphs_;
    std::map<const Executable*, std::shared_ptr<Executable>> executables_;
};

inline cudaGraph_t handle_of(Graph* graph) {
    return reinterpret_cast<cudaGraph_t>(graph);
}
inline cudaGraphNode_t handle_of(Node* node) {
    return reinterpret_cast<cudaGraphNode_t>(node);
}

/// The nodes that the handles name, with the data of the edges. They must be nodes of `graph`, and none is named
/// twice.
std::vector<Dependency> read_dependencies(const Graph& graph, const cudaGraphNode_t* nodes,
                                          const cudaGraphEdgeData* data, size_t count);

/// Runs the nodes of a graph that has no cycle.
void run_graph(const Graph& graph);

}  // namespace coalesce::simulator::cudart
