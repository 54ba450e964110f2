// Graphs that run: instantiate, launch, change, update.
#include "cudart/capture.h"
#include "cudart/graph_calls.h"
#include "cudart/graph_memory.h"
#include "execute/graph_conditions.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

// ---- instantiate ----

/// Why a graph cannot run; null node: none in particular.
struct Obstacle {
    cudaGraphInstantiateResult result = cudaGraphInstantiateSuccess;
    Node* node = nullptr;
};

bool has_conditional(const Graph& graph, cudaGraphConditionalHandle handle) {
    return graph.has([&](const Node& node) {
        const auto* conditional = std::get_if<ConditionalWork>(&node.work);
        return conditional && conditional->handle == handle;
    });
}

Obstacle find_obstacle(Graph& graph) {
    Obstacle obstacle;
    graph.for_each_graph([&](Graph& part) {
        std::vector<Node*> order;
        if (!part.in_order(order, obstacle.node))
            obstacle.result = cudaGraphInstantiateInvalidStructure;
    });
    if (obstacle.node) {
        explain("the graph has a cycle: a node waits for itself.");
        return obstacle;
    }
    for (const auto& [handle, value] : graph.conditions) {
        if (has_conditional(graph, handle)) continue;
        explain("the graph has a conditional handle that no conditional node uses.");
        return {cudaGraphInstantiateConditionalHandleUnused, nullptr};
    }
    return obstacle;
}

constexpr unsigned long long kInstantiateFlags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
    cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

cudaError_t instantiate(cudaGraphExec_t* handle, Graph& graph, cudaGraphInstantiateParams& how) {
    how.errNode_out = nullptr;
    how.result_out = cudaGraphInstantiateError;
    if (!handle || (how.flags & ~kInstantiateFlags)) return cudaErrorInvalidValue;
    if (how.flags & cudaGraphInstantiateFlagDeviceLaunch) {
        how.result_out = cudaGraphInstantiateNodeOperationNotSupported;
        return not_simulated("a graph that kernels launch");
    }
    const bool only_one = graph.has(is_of_memory) || graph.has(is_conditional);
    if (only_one && Graphs::instance().has_executable(&graph)) {
        return not_supported(
            "a graph that allocates memory, or has conditional nodes, can be instantiated once at "
            "a time; destroy the other executable first.");
    }
    const Obstacle obstacle = find_obstacle(graph);
    how.result_out = obstacle.result;
    how.errNode_out = handle_of(obstacle.node);
    if (obstacle.result != cudaGraphInstantiateSuccess) return cudaErrorInvalidValue;
    auto executable = std::make_shared<Executable>();
    executable->graph = graph.copy();
    executable->graph->is_part = true;
    executable->original = &graph;
    executable->flags =
        how.flags & ~static_cast<unsigned long long>(cudaGraphInstantiateFlagUpload);
    *handle = Graphs::instance().keep(std::move(executable));
    return cudaSuccess;
}

cudaError_t instantiate(const char* name, cudaGraphExec_t* handle, cudaGraph_t graph,
                        unsigned long long flags) {
    return with_graph(name, graph, [&](Graph& known) {
        cudaGraphInstantiateParams how{};
        how.flags = flags;
        return instantiate(handle, known, how);
    });
}

// ---- launch ----

void free_what_is_left(const Graph& graph) {
    graph.has([](const Node& node) {
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

cudaError_t launch(const std::shared_ptr<Executable>& executable, cudaStream_t stream) {
    cudaError_t error = check_order(stream);
    if (error != cudaSuccess) return error;
    if (const auto capture = capture_of(stream)) return refuse_graph_launch(capture);
    if (executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)
        free_what_is_left(*executable->graph);
    set_conditions(*executable->graph);
    return run_graph(*executable->graph);
}

/// The executable lives at least as long as `body` runs; no lock is held meanwhile, since host functions
/// may wait for other threads.
template <class Body>
cudaError_t with_executable(const char* name, cudaGraphExec_t handle, cudaStream_t stream,
                            Body body) {
    return on_stream(name, stream, [&]() -> cudaError_t {
        std::shared_ptr<Executable> executable;
        {
            std::lock_guard lock(Graphs::instance().mutex);
            executable = Graphs::instance().owner_of(Graphs::instance().find(handle));
        }
        return executable ? body(executable) : unknown_handle("executable graph");
    });
}

// ---- update ----

struct Difference {
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    Node* node = nullptr;
    Node* from = nullptr;

    bool found() const { return result != cudaGraphExecUpdateSuccess; }
};

std::size_t index_in(const Graph& graph, const Node* node) {
    std::size_t index = 0;
    while (graph.nodes()[index].get() != node) ++index;
    return index;
}

/// Whether the nodes wait for the same ones, by their places in their graphs.
Difference compare_edges(const Node& present, Node& wanted) {
    if (present.dependencies.size() != wanted.dependencies.size())
        return {cudaGraphExecUpdateErrorTopologyChanged, &wanted, nullptr};
    for (const Dependency& before : wanted.dependencies) {
        const std::size_t index = index_in(*wanted.graph, before.node);
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
    } else if (is_of_memory(present) || is_conditional(present)) {
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

/// The graphs have the same nodes and edges.
void take_over(Graph& present, const Graph& wanted) {
    for (std::size_t i = 0; i < wanted.nodes().size(); ++i) {
        Node& node = *present.nodes()[i];
        const Node& other = *wanted.nodes()[i];
        if (const auto* child = std::get_if<ChildWork>(&node.work))
            take_over(*child->graph, *std::get<ChildWork>(other.work).graph);
        else
            node.work = other.work;
    }
}

cudaError_t update(Executable& executable, const Graph& wanted,
                   cudaGraphExecUpdateResultInfo* info) {
    const Difference difference = compare(*executable.graph, wanted);
    if (info) *info = {difference.result, handle_of(difference.node), handle_of(difference.from)};
    if (difference.found())
        return refuse(
            "the graph differs in more than the values of its nodes; instantiate it again.",
            cudaErrorGraphExecUpdateFailure);
    take_over(*executable.graph, wanted);
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
    return instantiate(__func__, executable, graph, flags);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
    return instantiate(__func__, executable, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* how) {
    return with_graph(__func__, graph, [&](Graph& known) {
        return how ? instantiate(executable, known, *how) : cudaErrorInvalidValue;
    });
}
COALESCE_PER_THREAD_STREAM(cudaGraphInstantiateWithParams, _ptsz);

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
    return graph_call(__func__, [&] {
        if (const cudaError_t error = check_safe()) return error;
        Executable* executable = Graphs::instance().find(handle);
        return executable && Graphs::instance().destroy(executable)
                   ? cudaSuccess
                   : unknown_handle("executable graph");
    });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
    return graph_call(__func__, [&] {
        const Executable* executable = Graphs::instance().find(handle);
        if (!executable) return unknown_handle("executable graph");
        if (!flags) return cudaErrorInvalidValue;
        *flags = executable->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
    return with_executable(__func__, handle, stream,
                           [&](const auto& executable) { return launch(executable, stream); });
}
COALESCE_PER_THREAD_STREAM(cudaGraphLaunch, _ptsz);

/// There is nothing to prepare.
cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
    return with_executable(__func__, handle, stream, [](const auto&) { return cudaSuccess; });
}
COALESCE_PER_THREAD_STREAM(cudaGraphUpload, _ptsz);

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
    return with_graph(__func__, graph, [&](Graph& wanted) {
        Executable* executable = Graphs::instance().find(handle);
        return executable ? update(*executable, wanted, info) : unknown_handle("executable graph");
    });
}

/// Kernels, copies and fills can be left out of a graph that runs.
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle, cudaGraphNode_t original,
                                    unsigned enabled) {
    return with_executable_node(__func__, handle, original, [&](Node& node) {
        if (node.type() > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
        node.enabled = enabled != 0;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle, cudaGraphNode_t original,
                                    unsigned* enabled) {
    return with_executable_node(__func__, handle, original, [&](Node& node) {
        if (!enabled || node.type() > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
        *enabled = node.enabled;
        return cudaSuccess;
    });
}
