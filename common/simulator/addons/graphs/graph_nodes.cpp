// Adds nodes of every kind, and reads and changes their parameters in graphs and executable graphs.
//
// Idea       Three families of functions take the same parameters: they add a node to a graph,
//            change a node of a graph, or change the node's copy in an executable graph. Each
//            function converts its parameters to a callable that returns the node's work, and
//            passes the callable to `add`, `set_parameters` or `set_executable_parameters`.
#include <algorithm>

#include "simulator/addons/graphs/graph_calls.h"
#include "simulator/addons/graphs/graph_memory.h"
#include "simulator/addons/graphs/node_parameters.h"
#include "simulator/cudart/parameters.h"
#include "simulator/execute/graph_conditions.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// The position of a new node in a graph.
struct NewNodePosition {
    cudaGraphNode_t* node;
    cudaGraph_t graph;
    const cudaGraphNode_t* dependencies;
    size_t count;
    const cudaGraphEdgeData* edge_data = nullptr;
};

/// Adds a node to a graph. `make_work(graph)` returns the work of the node.
template <class MakeWork>
cudaError_t add_node(const char* name, const NewNodePosition& position,
                     MakeWork make_work) noexcept {
    return run_graph_call(name, [&] {
        Graph& graph = find_graph(position.graph);
        require(position.node);
        std::vector<Dependency> dependencies =
            read_dependencies(graph, position.dependencies, position.edge_data, position.count);
        Work work = make_work(graph);
        check_work(work);
        *position.node = to_handle(&graph.add(std::move(work), std::move(dependencies)));
    });
}

/// Copies the attributes that a node keeps when its parameters change.
void copy_unchanged_attributes(const Work& old_work, Work& new_work) {
    const auto* old_kernel = std::get_if<KernelWork>(&old_work);
    auto* kernel = std::get_if<KernelWork>(&new_work);
    if (!old_kernel || !kernel) return;
    kernel->attributes = old_kernel->attributes;
    kernel->request.is_cooperative = old_kernel->request.is_cooperative;
    kernel->request.cluster = old_kernel->request.cluster;
}

template <class Make>
void set_parameters(Node& node, Make make) {
    Work work = make(*node.graph);
    if (find_node_type(work) != node.type()) refuse("the node has another type.");
    copy_unchanged_attributes(node.work, work);
    check_work(work);
    node.work = std::move(work);
}

template <class Make>
cudaError_t set_parameters(const char* name, cudaGraphNode_t node, Make make) noexcept {
    return run_graph_call(name, [&] { set_parameters(find_node(node), make); });
}

template <class Make>
cudaError_t set_executable_parameters(const char* name, cudaGraphExec_t executable,
                                      cudaGraphNode_t original, Make make) noexcept {
    return run_graph_call(
        name, [&] { set_parameters(find_node_in_executable(executable, original), make); });
}

/// Calls `use_work(work)` with the work of the node. Fails if the work is not of type `WorkType`.
template <class WorkType, class UseWork>
cudaError_t read_work(const char* name, cudaGraphNode_t node, const void* target,
                      UseWork use_work) noexcept {
    return run_graph_call(name, [&] {
        auto* work = std::get_if<WorkType>(&find_node(node).work);
        require(work && target);
        use_work(*work);
    });
}

// ---- callables that create work from parameters ----

/// Returns a callable that creates the work `describe(arguments...)`. The work is the same for
/// every graph.
auto make_work_describer(auto describe, auto... arguments) {
    return [=](Graph&) -> Work { return describe(arguments...); };
}

/// Returns a callable that returns `work` for every graph.
auto make_work_returner(auto work) {
    return [=](Graph&) -> Work { return work; };
}

auto make_node_describer(cudaGraphNodeParams* parameters) {
    return [=](Graph& graph) { return describe(graph, parameters); };
}

}  // namespace

// ---- any node ----

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData* data, size_t count,
                             cudaGraphNodeParams* parameters) {
    return add_node(__func__, {node, graph, after, count, data}, make_node_describer(parameters));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
    return set_parameters(__func__, node, make_node_describer(parameters));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
    return set_executable_parameters(__func__, executable, node, make_node_describer(parameters));
}

// ---- kernels, copies, fills, host functions ----

/// Defines three functions for one kind of node: one adds a node, one changes it, and one changes
/// its copy in an executable graph. `describe` is a function with `parameters` parameters that
/// returns the node's work. `variant` is the suffix that distinguishes the functions for copies,
/// such as 1D.
#define COALESCE_NODES(kind, variant, describe, parameters)                                     \
    cudaError_t cudaGraphAdd##kind##Node##variant(cudaGraphNode_t* node, cudaGraph_t graph,     \
                                                  const cudaGraphNode_t* after, size_t count,   \
                                                  COALESCE_PARAMETERS_##parameters(describe)) { \
        return add_node(__func__, {node, graph, after, count},                                  \
                        make_work_describer(describe COALESCE_ARGUMENTS_##parameters));         \
    }                                                                                           \
    cudaError_t cudaGraph##kind##NodeSetParams##variant(                                        \
        cudaGraphNode_t node, COALESCE_PARAMETERS_##parameters(describe)) {                     \
        return set_parameters(__func__, node,                                                   \
                              make_work_describer(describe COALESCE_ARGUMENTS_##parameters));   \
    }                                                                                           \
    cudaError_t cudaGraphExec##kind##NodeSetParams##variant(                                    \
        cudaGraphExec_t executable, cudaGraphNode_t node,                                       \
        COALESCE_PARAMETERS_##parameters(describe)) {                                           \
        return set_executable_parameters(                                                       \
            __func__, executable, node,                                                         \
            make_work_describer(describe COALESCE_ARGUMENTS_##parameters));                     \
    }                                                                                           \
    static_assert(true)
COALESCE_NODES(Kernel, , describe_kernel, 1);
COALESCE_NODES(Memset, , describe_memset, 1);
COALESCE_NODES(Host, , describe_host, 1);
COALESCE_NODES(Memcpy, , describe_copy_3d, 1);
COALESCE_NODES(Memcpy, 1D, describe_copy, 4);
COALESCE_NODES(Memcpy, ToSymbol, describe_copy_to_symbol, 5);
COALESCE_NODES(Memcpy, FromSymbol, describe_copy_from_symbol, 5);
#undef COALESCE_NODES

#define COALESCE_GET_PARAMETERS(kind, WorkType, Parameters)                                    \
    cudaError_t cudaGraph##kind##NodeGetParams(cudaGraphNode_t node, Parameters* parameters) { \
        return read_work<WorkType>(__func__, node, parameters, [&](const WorkType& work) {     \
            *parameters = to_node_parameters(work);                                            \
        });                                                                                    \
    }                                                                                          \
    static_assert(true)
COALESCE_GET_PARAMETERS(Kernel, KernelWork, cudaKernelNodeParams);
COALESCE_GET_PARAMETERS(Memset, FillWork, cudaMemsetParams);
COALESCE_GET_PARAMETERS(Host, HostWork, cudaHostNodeParams);
COALESCE_GET_PARAMETERS(Memcpy, CopyWork, cudaMemcpy3DParms);
#undef COALESCE_GET_PARAMETERS

// ---- attributes of kernels ----

namespace {

void set_attribute(KernelWork& work, const cudaLaunchAttribute& attribute) {
    KernelWork changed_work = work;
    std::erase_if(changed_work.attributes, [&](const cudaLaunchAttribute& attribute_of_launch) {
        return attribute_of_launch.id == attribute.id;
    });
    changed_work.attributes.push_back(attribute);
    apply_attribute(attribute, changed_work.request);
    check_work(changed_work);
    work = std::move(changed_work);
}

/// Returns the work of `node`, which must be a kernel node.
KernelWork& require_kernel_work(Node* node) {
    auto* work = node ? std::get_if<KernelWork>(&node->work) : nullptr;
    require(work);
    return *work;
}

}  // namespace

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
    return run_graph_call(__func__, [&] {
        KernelWork& work = require_kernel_work(&find_node(node));
        require(value);
        cudaLaunchAttribute attribute{};
        attribute.id = id;
        attribute.val = *value;
        set_attribute(work, attribute);
    });
}

/// Returns the value of an attribute. If the program never set the attribute, the value is all
/// zeros.
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
    return read_work<KernelWork>(__func__, handle, value, [&](const KernelWork& work) {
        const auto launch_attribute =
            std::find_if(work.attributes.begin(), work.attributes.end(),
                         [&](const cudaLaunchAttribute& known) { return known.id == id; });
        *value = launch_attribute == work.attributes.end() ? cudaLaunchAttributeValue{}
                                                           : launch_attribute->val;
    });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to) {
    return run_graph_call(__func__, [&] {
        const KernelWork& source_work = require_kernel_work(&find_node(from));
        KernelWork& work = require_kernel_work(Graphs::instance().find(to));
        for (const cudaLaunchAttribute& attribute : source_work.attributes)
            set_attribute(work, attribute);
    });
}

// ---- child graphs and empty nodes ----

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, size_t count,
                                       cudaGraph_t child) {
    return add_node(__func__, {node, graph, after, count},
                    make_work_describer(describe_child, child, false));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
    return read_work<ChildWork>(__func__, node, graph, [&](const ChildWork& work) {
        *graph = to_handle(work.graph.get());
    });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
    return set_executable_parameters(__func__, executable, node,
                                     make_work_describer(describe_child, child, false));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t count) {
    return add_node(__func__, {node, graph, after, count}, make_work_returner(EmptyWork{}));
}

// ---- events ----

#define COALESCE_EVENT_NODES(kind, WorkType)                                                 \
    cudaError_t cudaGraphAdd##kind##Node(cudaGraphNode_t* node, cudaGraph_t graph,           \
                                         const cudaGraphNode_t* after, size_t count,         \
                                         cudaEvent_t event) {                                \
        return add_node(__func__, {node, graph, after, count},                               \
                        make_work_returner(WorkType{event}));                                \
    }                                                                                        \
    cudaError_t cudaGraph##kind##NodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {    \
        return read_work<WorkType>(__func__, node, event,                                    \
                                   [&](const WorkType& work) { *event = work.event; });      \
    }                                                                                        \
    cudaError_t cudaGraph##kind##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {     \
        return set_parameters(__func__, node, make_work_returner(WorkType{event}));          \
    }                                                                                        \
    cudaError_t cudaGraphExec##kind##NodeSetEvent(cudaGraphExec_t executable,                \
                                                  cudaGraphNode_t node, cudaEvent_t event) { \
        return set_executable_parameters(__func__, executable, node,                         \
                                         make_work_returner(WorkType{event}));               \
    }
COALESCE_EVENT_NODES(EventRecord, RecordWork)
COALESCE_EVENT_NODES(EventWait, WaitWork)
#undef COALESCE_EVENT_NODES

// ---- memory ----

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count,
                                     cudaMemAllocNodeParams* parameters) {
    return add_node(__func__, {node, graph, after, count},
                    [=](Graph&) { return describe_allocation(parameters); });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* parameters) {
    return read_work<AllocateWork>(__func__, node, parameters, [&](const AllocateWork& work) {
        *parameters = work.parameters;
        parameters->accessDescs = work.access_descriptions.data();
    });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, size_t count, void* pointer) {
    return add_node(__func__, {node, graph, after, count},
                    [=](Graph& known) { return describe_free(known, pointer); });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
    return read_work<FreeWork>(__func__, node, pointer, [&](const FreeWork& work) {
        *static_cast<void**>(pointer) = reinterpret_cast<void*>(work.memory->address);
    });
}

// ---- conditions ----

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags) {
    return run_graph_call(__func__, [&] {
        Graph& known = find_graph(graph);
        require(handle && flags <= cudaGraphCondAssignDefault);
        *handle = GraphConditions::instance().create_handle(value);
        known.conditions[*handle] = {value, flags == cudaGraphCondAssignDefault};
    });
}
