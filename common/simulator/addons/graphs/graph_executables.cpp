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

/// Checks that the graph can run. Otherwise fails, and stores the reason in
/// `parameters.result_out`.
void check_structure(Graph& graph, cudaGraphInstantiateParams& parameters) {
    parameters.result_out = cudaGraphInstantiateInvalidStructure;
    graph.for_each_graph([&](Graph& nested_graph) {
        std::vector<Node*> order;
        Node* culprit = nullptr;
        if (!nested_graph.sort_topologically(order, culprit))
            parameters.errNode_out = to_handle(culprit);
    });
    if (parameters.errNode_out) refuse("the graph has a cycle: a node waits for itself.");
    parameters.result_out = cudaGraphInstantiateConditionalHandleUnused;
    for (const auto& [handle, value] : graph.conditions) {
        if (!has_conditional(graph, handle))
            refuse("the graph has a conditional handle that no conditional node uses.");
    }
    parameters.result_out = cudaGraphInstantiateSuccess;
}

constexpr unsigned long long kInstantiateFlags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
    cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

void instantiate(cudaGraphExec_t* handle, Graph& graph, cudaGraphInstantiateParams& parameters) {
    parameters.errNode_out = nullptr;
    parameters.result_out = cudaGraphInstantiateError;
    require(handle && !(parameters.flags & ~kInstantiateFlags));
    if (parameters.flags & cudaGraphInstantiateFlagDeviceLaunch) {
        parameters.result_out = cudaGraphInstantiateNodeOperationNotSupported;
        fail_not_simulated("a graph launched by kernels");
    }
    const bool allows_one_executable =
        graph.any_node(is_memory_node) || graph.any_node(is_conditional);
    if (allows_one_executable && Graphs::instance().has_executable(&graph))
        fail_not_supported(
            "a graph that allocates memory, or has conditional nodes, can have only one executable "
            "at a time; destroy the existing executable first.");
    check_structure(graph, parameters);
    auto executable = std::make_shared<Executable>();
    executable->graph = graph.copy();
    executable->graph->is_nested = true;
    executable->original = &graph;
    executable->flags =
        parameters.flags & ~static_cast<unsigned long long>(cudaGraphInstantiateFlagUpload);
    *handle = Graphs::instance().add_graph(std::move(executable));
}

void instantiate_with_flags(cudaGraphExec_t* handle, cudaGraph_t graph, unsigned long long flags) {
    cudaGraphInstantiateParams parameters{};
    parameters.flags = flags;
    instantiate(handle, find_graph(graph), parameters);
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
    graph.for_each_graph([](Graph& nested_graph) {
        for (const auto& [handle, start] : nested_graph.conditions) {
            if (start.second) GraphConditions::instance().set_value(handle, start.first);
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

struct GraphDifference {
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    Node* node = nullptr;
    Node* dependency_node = nullptr;

    bool exists() const { return result != cudaGraphExecUpdateSuccess; }
};

std::size_t find_node_index(const Graph& graph, const Node* node) {
    std::size_t index = 0;
    while (graph.nodes()[index].get() != node) ++index;
    return index;
}

/// Checks that the two nodes depend on nodes with the same indices in their graphs.
GraphDifference compare_edges(const Node& old_node, Node& new_node) {
    if (old_node.dependencies.size() != new_node.dependencies.size())
        return {cudaGraphExecUpdateErrorTopologyChanged, &new_node, nullptr};
    for (const Dependency& dependency : new_node.dependencies) {
        const std::size_t index = find_node_index(*new_node.graph, dependency.node);
        if (!old_node.depends_on(old_node.graph->nodes()[index].get()))
            return {cudaGraphExecUpdateErrorTopologyChanged, &new_node, dependency.node};
    }
    return {};
}

GraphDifference compare_graphs(const Graph& old_graph, const Graph& new_graph);

GraphDifference compare_work(const Node& old_node, Node& new_node) {
    if (old_node.type() != new_node.type())
        return {cudaGraphExecUpdateErrorNodeTypeChanged, &new_node, nullptr};
    if (const auto* kernel = std::get_if<KernelWork>(&old_node.work)) {
        if (kernel->request.is_cooperative !=
            std::get<KernelWork>(new_node.work).request.is_cooperative)
            return {cudaGraphExecUpdateErrorAttributesChanged, &new_node, nullptr};
    } else if (const auto* child = std::get_if<ChildWork>(&old_node.work)) {
        return compare_graphs(*child->graph, *std::get<ChildWork>(new_node.work).graph);
    } else if (is_memory_node(old_node) || is_conditional(old_node)) {
        return {cudaGraphExecUpdateErrorNotSupported, &new_node, nullptr};
    }
    return {};
}

GraphDifference compare_graphs(const Graph& old_graph, const Graph& new_graph) {
    const std::size_t count = std::min(old_graph.nodes().size(), new_graph.nodes().size());
    for (std::size_t i = 0; i < count; ++i) {
        GraphDifference difference = compare_edges(*old_graph.nodes()[i], *new_graph.nodes()[i]);
        if (!difference.exists())
            difference = compare_work(*old_graph.nodes()[i], *new_graph.nodes()[i]);
        if (difference.exists()) return difference;
    }
    if (old_graph.nodes().size() == new_graph.nodes().size()) return {};
    Node* extra_node = count < new_graph.nodes().size() ? new_graph.nodes()[count].get() : nullptr;
    return {cudaGraphExecUpdateErrorTopologyChanged, extra_node, nullptr};
}

/// Copies the work of all nodes from `wanted_graph` to `current_graph`. Both graphs must have the
/// same nodes and edges.
void copy_all_work(Graph& current_graph, const Graph& wanted_graph) {
    for (std::size_t i = 0; i < wanted_graph.nodes().size(); ++i) {
        Node& node = *current_graph.nodes()[i];
        const Node& source_node = *wanted_graph.nodes()[i];
        if (const auto* child = std::get_if<ChildWork>(&node.work))
            copy_all_work(*child->graph, *std::get<ChildWork>(source_node.work).graph);
        else
            node.work = source_node.work;
    }
}

void update(Executable& executable, const Graph& wanted_graph,
            cudaGraphExecUpdateResultInfo* info) {
    const GraphDifference difference = compare_graphs(*executable.graph, wanted_graph);
    if (info)
        *info = {difference.result, to_handle(difference.node),
                 to_handle(difference.dependency_node)};
    if (difference.exists())
        refuse("the graph differs in more than the parameters of its nodes; instantiate it again.",
               cudaErrorGraphExecUpdateFailure);
    copy_all_work(*executable.graph, wanted_graph);
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
    return run_graph_call(__func__, [&] {
        Graph& source_graph = find_graph(graph);
        require(how);
        instantiate(executable, source_graph, *how);
    });
}
COALESCE_PER_THREAD_STREAM(cudaGraphInstantiateWithParams, _ptsz);

COALESCE_BY(run_graph_call, cudaGraphInstantiateWithFlags, instantiate_with_flags, 3);
COALESCE_BY(run_graph_call, cudaGraphInstantiate, instantiate_with_flags, 3);

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return run_graph_call(__func__, [&] {
        check_capture_allows_call();
        Graphs::instance().destroy(&find_executable(executable));
    });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
    return run_graph_call(__func__,
                          [&] { store_output(flags, find_executable(executable).flags); });
}

COALESCE_BY(run_device_call, cudaGraphLaunch, launch_graph, 2);
COALESCE_PER_THREAD_STREAM(cudaGraphLaunch, _ptsz);

/// Does nothing, because the simulator has nothing to upload.
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    return run_stream_call(__func__, stream, [&] { share_ownership(executable); });
}
COALESCE_PER_THREAD_STREAM(cudaGraphUpload, _ptsz);

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
    return run_graph_call(__func__, [&] {
        const Graph& wanted_graph = find_graph(graph);
        update(find_executable(executable), wanted_graph, info);
    });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t original,
                                    unsigned enabled) {
    return run_graph_call(__func__, [&] {
        find_node_that_can_be_disabled(executable, original).is_enabled = enabled != 0;
    });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t original,
                                    unsigned* enabled) {
    return run_graph_call(__func__, [&] {
        store_output(enabled, find_node_that_can_be_disabled(executable, original).is_enabled);
    });
}
