// Implements executable graphs: instantiation, launches, changes and updates.
#include "simulator/addons/graphs/graph_calls.h"
#include "simulator/addons/graphs/graph_memory.h"
#include "simulator/cudart/capture.h"
#include "simulator/execute/graph_conditions.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

// ---- instantiate ----

bool has_conditional(const Graph& graph, cudaGraphConditionalHandle handle) {
    return graph.any_node([&](const Node& node) {
        const auto* conditional = std::get_if<ConditionalWork>(&node.work);
        return conditional && conditional->handle == handle;
    });
}

/// Checks that the graph can run. Otherwise fails, and stores the reason in `how.result_out`.
void check_structure(Graph& graph, cudaGraphInstantiateParams& how) {
    how.result_out = cudaGraphInstantiateInvalidStructure;
    graph.for_each_graph([&](Graph& part) {
        std::vector<Node*> order;
        Node* culprit = nullptr;
        if (!part.sort_topologically(order, culprit)) how.errNode_out = to_handle(culprit);
    });
    if (how.errNode_out) refuse("the graph has a cycle: a node waits for itself.");
    how.result_out = cudaGraphInstantiateConditionalHandleUnused;
    for (const auto& [handle, value] : graph.conditions) {
        if (!has_conditional(graph, handle))
            refuse("the graph has a conditional handle that no conditional node uses.");
    }
    how.result_out = cudaGraphInstantiateSuccess;
}

constexpr unsigned long long kInstantiateFlags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
    cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

void instantiate(cudaGraphExec_t* handle, Graph& graph, cudaGraphInstantiateParams& how) {
    how.errNode_out = nullptr;
    how.result_out = cudaGraphInstantiateError;
    require(handle && !(how.flags & ~kInstantiateFlags));
    if (how.flags & cudaGraphInstantiateFlagDeviceLaunch) {
        how.result_out = cudaGraphInstantiateNodeOperationNotSupported;
        not_simulated("a graph launched by kernels");
    }
    const bool only_one = graph.any_node(is_memory_node) || graph.any_node(is_conditional);
    if (only_one && Graphs::instance().has_executable(&graph))
        not_supported(
            "a graph that allocates memory, or has conditional nodes, can have only one executable "
            "at a time; destroy the existing executable first.");
    check_structure(graph, how);
    auto executable = std::make_shared<Executable>();
    executable->graph = graph.copy();
    executable->graph->is_nested = true;
    executable->original = &graph;
    executable->flags =
        how.flags & ~static_cast<unsigned long long>(cudaGraphInstantiateFlagUpload);
    *handle = Graphs::instance().keep(std::move(executable));
}

void instantiate_with_flags(cudaGraphExec_t* handle, cudaGraph_t graph, unsigned long long flags) {
    cudaGraphInstantiateParams how{};
    how.flags = flags;
    instantiate(handle, find_graph(graph), how);
}

// ---- launch ----

void free_remaining_allocations(const Graph& graph) {
    graph.any_node([](const Node& node) {
        if (const auto* allocation = std::get_if<AllocateWork>(&node.work))
            end_use(*allocation->memory);
        return false;
    });
}

void set_conditions(Graph& graph) {
    graph.for_each_graph([](Graph& part) {
        for (const auto& [handle, start] : part.conditions) {
            if (start.second) GraphConditions::instance().set(handle, start.first);
        }
    });
}

/// Returns a shared pointer that keeps the executable alive during a launch. A launch does not hold
/// the lock, because its host functions may wait for other threads.
std::shared_ptr<Executable> share_ownership(cudaGraphExec_t handle) {
    std::lock_guard lock(Graphs::instance().mutex);
    return find_executable(handle).shared_from_this();
}

void launch_graph(cudaGraphExec_t handle, cudaStream_t stream) {
    check_stream(stream);
    const std::shared_ptr<Executable> executable = share_ownership(handle);
    check_default_stream_order(stream);
    if (const auto capture = find_capture(stream)) refuse_graph_launch(capture);
    if (executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)
        free_remaining_allocations(*executable->graph);
    set_conditions(*executable->graph);
    const StreamWork work(stream);
    run_graph(*executable->graph);
}

// ---- update ----

struct Difference {
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    Node* node = nullptr;
    Node* from = nullptr;

    bool found() const { return result != cudaGraphExecUpdateSuccess; }
};

std::size_t find_node_index(const Graph& graph, const Node* node) {
    std::size_t index = 0;
    while (graph.nodes()[index].get() != node) ++index;
    return index;
}

/// Checks that the two nodes depend on nodes with the same indices in their graphs.
Difference compare_edges(const Node& present, Node& wanted) {
    if (present.dependencies.size() != wanted.dependencies.size())
        return {cudaGraphExecUpdateErrorTopologyChanged, &wanted, nullptr};
    for (const Dependency& before : wanted.dependencies) {
        const std::size_t index = find_node_index(*wanted.graph, before.node);
        if (!present.depends_on(present.graph->nodes()[index].get()))
            return {cudaGraphExecUpdateErrorTopologyChanged, &wanted, before.node};
    }
    return {};
}

Difference compare(const Graph& present, const Graph& wanted);

Difference compare_work(const Node& present, Node& wanted) {
    if (present.type() != wanted.type())
        return {cudaGraphExecUpdateErrorNodeTypeChanged, &wanted, nullptr};
    if (const auto* kernel = std::get_if<KernelWork>(&present.work)) {
        if (kernel->request.cooperative != std::get<KernelWork>(wanted.work).request.cooperative)
            return {cudaGraphExecUpdateErrorAttributesChanged, &wanted, nullptr};
    } else if (const auto* child = std::get_if<ChildWork>(&present.work)) {
        return compare(*child->graph, *std::get<ChildWork>(wanted.work).graph);
    } else if (is_memory_node(present) || is_conditional(present)) {
        return {cudaGraphExecUpdateErrorNotSupported, &wanted, nullptr};
    }
    return {};
}

Difference compare(const Graph& present, const Graph& wanted) {
    const std::size_t count = std::min(present.nodes().size(), wanted.nodes().size());
    for (std::size_t i = 0; i < count; ++i) {
        Difference difference = compare_edges(*present.nodes()[i], *wanted.nodes()[i]);
        if (!difference.found()) difference = compare_work(*present.nodes()[i], *wanted.nodes()[i]);
        if (difference.found()) return difference;
    }
    if (present.nodes().size() == wanted.nodes().size()) return {};
    Node* surplus = count < wanted.nodes().size() ? wanted.nodes()[count].get() : nullptr;
    return {cudaGraphExecUpdateErrorTopologyChanged, surplus, nullptr};
}

/// Copies the work of all nodes from `wanted` to `present`. Both graphs must have the same nodes
/// and edges.
void copy_all_work(Graph& present, const Graph& wanted) {
    for (std::size_t i = 0; i < wanted.nodes().size(); ++i) {
        Node& node = *present.nodes()[i];
        const Node& other = *wanted.nodes()[i];
        if (const auto* child = std::get_if<ChildWork>(&node.work))
            copy_all_work(*child->graph, *std::get<ChildWork>(other.work).graph);
        else
            node.work = other.work;
    }
}

void update(Executable& executable, const Graph& wanted, cudaGraphExecUpdateResultInfo* info) {
    const Difference difference = compare(*executable.graph, wanted);
    if (info) *info = {difference.result, to_handle(difference.node), to_handle(difference.from)};
    if (difference.found())
        refuse("the graph differs in more than the parameters of its nodes; instantiate it again.",
               cudaErrorGraphExecUpdateFailure);
    copy_all_work(*executable.graph, wanted);
}

/// Returns the executable's copy of a node, which must be of a kind that can be disabled: a kernel,
/// copy or fill.
Node& find_node_that_can_be_disabled(cudaGraphExec_t executable, cudaGraphNode_t original) {
    Node& node = find_node_in_executable(executable, original);
    require(node.type() <= cudaGraphNodeTypeMemset);
    return node;
}

}  // namespace

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* how) {
    return graph_call(__func__, [&] {
        Graph& known = find_graph(graph);
        require(how);
        instantiate(executable, known, *how);
    });
}
COALESCE_PER_THREAD_STREAM(cudaGraphInstantiateWithParams, _ptsz);

COALESCE_BY(graph_call, cudaGraphInstantiateWithFlags, instantiate_with_flags, 3);
COALESCE_BY(graph_call, cudaGraphInstantiate, instantiate_with_flags, 3);

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return graph_call(__func__, [&] {
        check_capture_allows_call();
        Graphs::instance().destroy(&find_executable(executable));
    });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
    return graph_call(__func__, [&] { store_output(flags, find_executable(executable).flags); });
}

COALESCE_BY(api, cudaGraphLaunch, launch_graph, 2);
COALESCE_PER_THREAD_STREAM(cudaGraphLaunch, _ptsz);

/// Does nothing, because the simulator has nothing to upload.
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    return call_on_stream(__func__, stream, [&] { share_ownership(executable); });
}
COALESCE_PER_THREAD_STREAM(cudaGraphUpload, _ptsz);

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
    return graph_call(__func__, [&] {
        const Graph& wanted = find_graph(graph);
        update(find_executable(executable), wanted, info);
    });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t original,
                                    unsigned enabled) {
    return graph_call(__func__, [&] {
        find_node_that_can_be_disabled(executable, original).enabled = enabled != 0;
    });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t original,
                                    unsigned* enabled) {
    return graph_call(__func__, [&] {
        store_output(enabled, find_node_that_can_be_disabled(executable, original).enabled);
    });
}
