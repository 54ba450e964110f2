// See graphs.h.
#include "simulator/addons/graphs/graphs.h"

#include <algorithm>

#include "simulator/addons/graphs/user_objects.h"
#include "simulator/cudart/api.h"
#include "simulator/execute/graph_conditions.h"
#include "simulator/report/gaps.h"

namespace coalesce::simulator::cudart {

bool Node::depends_on(const Node* other) const {
    return std::any_of(dependencies.begin(), dependencies.end(),
                       [&](const Dependency& dependency) { return dependency.node == other; });
}

// ---- a graph ----

Graph::Graph() {
    std::lock_guard lock(Graphs::instance().mutex);
    Graphs::instance().alive_.insert(this);
}

Graph::~Graph() {
    std::lock_guard lock(Graphs::instance().mutex);
    Graphs::instance().alive_.erase(this);
    for (const auto& node : nodes_) Graphs::instance().nodes_.erase(node.get());
    for (const auto& [object, count] : user_objects) release(*object, count);
    // A nested graph is a copy that shares the condition handles of the original. Only the original
    // removes the handles.
    if (is_nested) return;
    for (const auto& [handle, value] : conditions)
        GraphConditions::instance().forget_handle(handle);
}

Node& Graph::add(Work work, std::vector<Dependency> dependencies) {
    nodes_.push_back(std::make_unique<Node>());
    Node& node = *nodes_.back();
    node.graph = this;
    node.work = std::move(work);
    node.dependencies = std::move(dependencies);
    Graphs::instance().nodes_.insert(&node);
    return node;
}

void Graph::remove(Node& node) {
    for (const auto& other : nodes_) {
        std::erase_if(other->dependencies, [&](const Dependency& d) { return d.node == &node; });
    }
    Graphs::instance().nodes_.erase(&node);
    std::erase_if(nodes_, [&](const auto& owned) { return owned.get() == &node; });
}

namespace {

std::shared_ptr<Graph> copy_nested_graph(const std::shared_ptr<Graph>& nested_graph) {
    std::shared_ptr<Graph> nested_copy = nested_graph->copy();
    nested_copy->is_nested = true;
    return nested_copy;
}

/// Copies a node's work, including any nested graphs.
Work copy_work(const Work& work) {
    if (const auto* child = std::get_if<ChildWork>(&work))
        return ChildWork{copy_nested_graph(child->graph)};
    const auto* conditional = std::get_if<ConditionalWork>(&work);
    if (!conditional) return work;
    ConditionalWork copied = *conditional;
    copied.body_handles = std::make_shared<std::vector<cudaGraph_t>>();
    for (auto& body : copied.body_graphs) {
        body = copy_nested_graph(body);
        copied.body_handles->push_back(to_handle(body.get()));
    }
    return copied;
}

std::vector<std::shared_ptr<Graph>> nested_graphs(const Work& work) {
    if (const auto* child = std::get_if<ChildWork>(&work)) return {child->graph};
    const auto* conditional = std::get_if<ConditionalWork>(&work);
    return conditional ? conditional->body_graphs : std::vector<std::shared_ptr<Graph>>{};
}

}  // namespace

std::shared_ptr<Graph> Graph::copy() const {
    auto copied = std::make_shared<Graph>();
    std::map<const Node*, Node*> copies_by_original;
    for (const auto& node : nodes_) {
        Node& node_copy = copied->add(copy_work(node->work), node->dependencies);
        node_copy.copied_from = node.get();
        node_copy.is_enabled = node->is_enabled;
        copies_by_original[node.get()] = &node_copy;
    }
    for (const auto& node : copied->nodes_) {
        for (Dependency& dependency : node->dependencies)
            dependency.node = copies_by_original.at(dependency.node);
    }
    copied->user_objects = user_objects;
    for (const auto& [object, count] : user_objects) retain(*object, count);
    copied->conditions = conditions;
    return copied;
}

Node* Graph::find_copy(const Node* original) {
    for (const auto& node : nodes_) {
        if (node->copied_from == original) return node.get();
        for (const auto& nested_graph : nested_graphs(node->work)) {
            if (Node* found = nested_graph->find_copy(original)) return found;
        }
    }
    return nullptr;
}

bool Graph::sort_topologically(std::vector<Node*>& order, Node*& culprit) const {
    std::map<const Node*, std::size_t> unfinished_dependencies;
    std::map<const Node*, std::vector<Node*>> followers;
    order.clear();
    for (const auto& node : nodes_) {
        unfinished_dependencies[node.get()] = node->dependencies.size();
        for (const Dependency& dependency : node->dependencies)
            followers[dependency.node].push_back(node.get());
        if (node->dependencies.empty()) order.push_back(node.get());
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        for (Node* follower : followers[order[next]]) {
            if (--unfinished_dependencies[follower] == 0) order.push_back(follower);
        }
    }
    if (order.size() == nodes_.size()) return true;
    for (const auto& node : nodes_) {
        if (unfinished_dependencies[node.get()] > 0) culprit = node.get();
    }
    return false;
}

bool Graph::any_node(const std::function<bool(const Node&)>& property) const {
    for (const auto& node : nodes_) {
        if (property(*node)) return true;
        for (const auto& nested_graph : nested_graphs(node->work)) {
            if (nested_graph->any_node(property)) return true;
        }
    }
    return false;
}

void Graph::for_each_graph(const std::function<void(Graph&)>& body) {
    body(*this);
    for (const auto& node : nodes_) {
        for (const auto& nested_graph : nested_graphs(node->work))
            nested_graph->for_each_graph(body);
    }
}

// ---- all graphs ----

Graphs& Graphs::instance() {
    // The object is never destroyed, because the program's own destructors may still call this
    // library while the process exits.
    static Graphs& graphs = *new Graphs;
    return graphs;
}

Graph* Graphs::find(cudaGraph_t handle) {
    Graph* graph = reinterpret_cast<Graph*>(handle);
    return alive_.contains(graph) ? graph : nullptr;
}

Node* Graphs::find(cudaGraphNode_t handle) {
    Node* node = reinterpret_cast<Node*>(handle);
    return nodes_.contains(node) ? node : nullptr;
}

Executable* Graphs::find(cudaGraphExec_t handle) {
    Executable* executable = reinterpret_cast<Executable*>(handle);
    return executables_.contains(executable) ? executable : nullptr;
}

cudaGraph_t Graphs::add_graph(std::shared_ptr<Graph> graph) {
    Graph* key = graph.get();
    graphs_[key] = std::move(graph);
    return to_handle(key);
}

bool Graphs::destroy(Graph* graph) {
    const auto found = graphs_.find(graph);
    if (found == graphs_.end()) return false;
    const std::shared_ptr<Graph> graph_owner = std::move(found->second);
    graphs_.erase(found);
    for (const auto& [known, executable] : executables_) {
        if (executable->original == graph) executable->original = nullptr;
    }
    return true;
}

cudaGraphExec_t Graphs::add_graph(std::shared_ptr<Executable> executable) {
    Executable* kept = executable.get();
    executables_[kept] = std::move(executable);
    return reinterpret_cast<cudaGraphExec_t>(kept);
}

bool Graphs::destroy(Executable* executable) {
    return executables_.erase(executable) > 0;
}

bool Graphs::has_executable(const Graph* original) {
    return std::any_of(executables_.begin(), executables_.end(),
                       [&](const auto& entry) { return entry.second->original == original; });
}

void Graphs::clear() {
    std::lock_guard lock(mutex);
    executables_.clear();
    graphs_.clear();
}

// ---- edges ----

std::vector<Dependency> read_dependencies(const Graph& graph, const cudaGraphNode_t* nodes,
                                          const cudaGraphEdgeData* data, size_t count) {
    require(count == 0 || nodes);
    std::vector<Dependency> dependencies;
    for (size_t i = 0; i < count; ++i) {
        Node* node = Graphs::instance().find(nodes[i]);
        const bool is_new = std::none_of(dependencies.begin(), dependencies.end(),
                                         [&](const Dependency& d) { return d.node == node; });
        if (!node || node->graph != &graph || !is_new)
            refuse("dependency " + std::to_string(i) +
                   (is_new ? " is not a node of the graph." : " is listed twice."));
        dependencies.push_back({node, data ? data[i] : cudaGraphEdgeData{}});
    }
    return dependencies;
}

// ---- running ----

/// Reports whether each node depends on the node before it. If so, no other order is possible.
static bool is_chain(const std::vector<Node*>& order) {
    for (std::size_t k = 1; k < order.size(); ++k)
        if (!order[k]->depends_on(order[k - 1])) return false;
    return true;
}

void run_graph(const Graph& graph) {
    std::vector<Node*> order;
    Node* culprit = nullptr;
    require(graph.sort_topologically(order, culprit));
    if (!is_chain(order)) record_gap(Gap::graph_order);
    for (const Node* node : order) {
        if (!node->is_enabled) continue;
        execute_work(node->work);
        // If a kernel has failed, skip the remaining nodes. A later call by the program reports the
        // error.
        if (is_context_broken()) return;
    }
}

}  // namespace coalesce::simulator::cudart
