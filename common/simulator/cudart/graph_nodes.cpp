// Nodes of every kind: add one, read and change its parameters, in a graph and in one that runs.
//
// Idea       Three families of calls take the same parameters: they add a node, change one of a graph, and
//            change its copy in an executable. Each call says how its parameters become work, and which of
//            the three it is (add, change, change_running).
#include <algorithm>

#include "cudart/graph_calls.h"
#include "cudart/graph_memory.h"
#include "cudart/node_parameters.h"
#include "execute/graph_conditions.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// Where a new node goes.
struct Place {
    cudaGraphNode_t* node;
    cudaGraph_t graph;
    const cudaGraphNode_t* after;
    size_t count;
    const cudaGraphEdgeData* data = nullptr;
};

/// `make(graph, work)` says what the node does.
template <class Make>
cudaError_t add(const char* name, const Place& place, Make make) noexcept {
    return with_graph(name, place.graph, [&](Graph& graph) -> cudaError_t {
        if (!place.node) return cudaErrorInvalidValue;
        std::vector<Dependency> after;
        cudaError_t error = read_dependencies(graph, place.after, place.data, place.count, after);
        Work work;
        if (error == cudaSuccess) error = make(graph, work);
        if (error == cudaSuccess) error = check(work);
        if (error != cudaSuccess) return error;
        *place.node = handle_of(&graph.add(std::move(work), std::move(after)));
        return cudaSuccess;
    });
}

/// What a node keeps when its parameters change.
void keep_attributes(const Work& before, Work& after) {
    const auto* old_kernel = std::get_if<KernelWork>(&before);
    auto* kernel = std::get_if<KernelWork>(&after);
    if (!old_kernel || !kernel) return;
    kernel->attributes = old_kernel->attributes;
    kernel->request.cooperative = old_kernel->request.cooperative;
    kernel->request.cluster = old_kernel->request.cluster;
}

template <class Make>
cudaError_t change(Node& node, Make make) {
    Work work;
    cudaError_t error = make(*node.graph, work);
    if (error != cudaSuccess) return error;
    if (type_of(work) != node.type()) return refuse("the node is of another type.");
    keep_attributes(node.work, work);
    error = check(work);
    if (error == cudaSuccess) node.work = std::move(work);
    return error;
}

template <class Make>
cudaError_t change(const char* name, cudaGraphNode_t handle, Make make) noexcept {
    return with_node(name, handle, [&](Node& node) { return change(node, make); });
}

template <class Make>
cudaError_t change_running(const char* name, cudaGraphExec_t executable, cudaGraphNode_t original,
                           Make make) noexcept {
    return with_executable_node(name, executable, original,
                                [&](Node& node) { return change(node, make); });
}

/// `give(work)` reads the work of a node that does such work.
template <class WorkType, class Give>
cudaError_t read(const char* name, cudaGraphNode_t handle, const void* target, Give give) noexcept {
    return with_node(name, handle, [&](Node& node) {
        auto* work = std::get_if<WorkType>(&node.work);
        if (!work || !target) return cudaErrorInvalidValue;
        give(*work);
        return cudaSuccess;
    });
}

// ---- how parameters become work ----

auto from_parameters(const auto* parameters) {
    return [=](Graph&, Work& work) { return describe(parameters, work); };
}

/// Work that is the same in any graph: `describe(arguments..., work)` says what.
auto work_of(auto describe, auto... arguments) {
    return [=](Graph&, Work& work) { return describe(arguments..., work); };
}

/// For work that needs nothing else.
template <class WorkType>
auto plain(WorkType made) {
    return [=](Graph&, Work& work) {
        work = made;
        return cudaSuccess;
    };
}

auto any(cudaGraphNodeParams* parameters) {
    return [=](Graph& graph, Work& work) { return describe(graph, parameters, work); };
}

}  // namespace

// ---- any node ----

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData* data, size_t count,
                             cudaGraphNodeParams* parameters) {
    return add(__func__, {node, graph, after, count, data}, any(parameters));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
    return change(__func__, node, any(parameters));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
    return change_running(__func__, executable, node, any(parameters));
}

// ---- kernels, copies, fills, host functions ----

#define COALESCE_NODES(kind, WorkType, Parameters)                                               \
    cudaError_t cudaGraphAdd##kind##Node(cudaGraphNode_t* node, cudaGraph_t graph,               \
                                         const cudaGraphNode_t* after, size_t count,             \
                                         const Parameters* parameters) {                         \
        return add(__func__, {node, graph, after, count}, from_parameters(parameters));          \
    }                                                                                            \
    cudaError_t cudaGraph##kind##NodeGetParams(cudaGraphNode_t node, Parameters* parameters) {   \
        return read<WorkType>(__func__, node, parameters,                                        \
                              [&](const WorkType& work) { *parameters = parameters_of(work); }); \
    }                                                                                            \
    cudaError_t cudaGraph##kind##NodeSetParams(cudaGraphNode_t node,                             \
                                               const Parameters* parameters) {                   \
        return change(__func__, node, from_parameters(parameters));                              \
    }                                                                                            \
    cudaError_t cudaGraphExec##kind##NodeSetParams(                                              \
        cudaGraphExec_t executable, cudaGraphNode_t node, const Parameters* parameters) {        \
        return change_running(__func__, executable, node, from_parameters(parameters));          \
    }
COALESCE_NODES(Kernel, KernelWork, cudaKernelNodeParams)
COALESCE_NODES(Memcpy, CopyWork, cudaMemcpy3DParms)
COALESCE_NODES(Memset, FillWork, cudaMemsetParams)
COALESCE_NODES(Host, HostWork, cudaHostNodeParams)
#undef COALESCE_NODES

// ---- attributes of kernels ----

namespace {

cudaError_t set_attribute(KernelWork& work, const cudaLaunchAttribute& attribute) {
    KernelWork changed = work;
    std::erase_if(changed.attributes,
                  [&](const cudaLaunchAttribute& known) { return known.id == attribute.id; });
    changed.attributes.push_back(attribute);
    cudaError_t error = apply_attribute(attribute, changed.request);
    if (error == cudaSuccess) error = check(changed);
    if (error == cudaSuccess) work = std::move(changed);
    return error;
}

}  // namespace

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
    return with_node(__func__, handle, [&](Node& node) {
        auto* work = std::get_if<KernelWork>(&node.work);
        if (!work || !value) return cudaErrorInvalidValue;
        cudaLaunchAttribute attribute{};
        attribute.id = id;
        attribute.val = *value;
        return set_attribute(*work, attribute);
    });
}

/// One that was never set is all zeros.
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
    return read<KernelWork>(__func__, handle, value, [&](const KernelWork& work) {
        const auto found =
            std::find_if(work.attributes.begin(), work.attributes.end(),
                         [&](const cudaLaunchAttribute& known) { return known.id == id; });
        *value = found == work.attributes.end() ? cudaLaunchAttributeValue{} : found->val;
    });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to) {
    return with_node(__func__, from, [&](Node& source) {
        Node* target = Graphs::instance().find(to);
        const auto* given = std::get_if<KernelWork>(&source.work);
        auto* work = target ? std::get_if<KernelWork>(&target->work) : nullptr;
        if (!given || !work) return cudaErrorInvalidValue;
        for (const cudaLaunchAttribute& attribute : given->attributes) {
            if (const cudaError_t error = set_attribute(*work, attribute)) return error;
        }
        return cudaSuccess;
    });
}

// ---- copies of rows, and of variables ----

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
    return add(__func__, {node, graph, after, count},
               work_of(describe_copy, to, from, bytes, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           size_t bytes, cudaMemcpyKind kind) {
    return change(__func__, node, work_of(describe_copy, to, from, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* to, const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
    return change_running(__func__, executable, node,
                          work_of(describe_copy, to, from, bytes, kind));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, size_t count,
                                           const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
    return add(__func__, {node, graph, after, count},
               work_of(describe_copy_to_symbol, symbol, from, bytes, offset, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind) {
    return change(__func__, node,
                  work_of(describe_copy_to_symbol, symbol, from, bytes, offset, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable,
                                                     cudaGraphNode_t node, const void* symbol,
                                                     const void* from, size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind) {
    return change_running(__func__, executable, node,
                          work_of(describe_copy_to_symbol, symbol, from, bytes, offset, kind));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, size_t count, void* to,
                                             const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
    return add(__func__, {node, graph, after, count},
               work_of(describe_copy_from_symbol, to, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                                   const void* symbol, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind) {
    return change(__func__, node,
                  work_of(describe_copy_from_symbol, to, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable,
                                                       cudaGraphNode_t node, void* to,
                                                       const void* symbol, size_t bytes,
                                                       size_t offset, cudaMemcpyKind kind) {
    return change_running(__func__, executable, node,
                          work_of(describe_copy_from_symbol, to, symbol, bytes, offset, kind));
}

// ---- graphs within, and nothing at all ----

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, size_t count,
                                       cudaGraph_t child) {
    return add(__func__, {node, graph, after, count}, work_of(describe_child, child, false));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
    return read<ChildWork>(__func__, node, graph,
                           [&](const ChildWork& work) { *graph = handle_of(work.graph.get()); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
    return change_running(__func__, executable, node, work_of(describe_child, child, false));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t count) {
    return add(__func__, {node, graph, after, count}, plain(EmptyWork{}));
}

// ---- events ----

#define COALESCE_EVENT_NODES(kind, WorkType)                                                 \
    cudaError_t cudaGraphAdd##kind##Node(cudaGraphNode_t* node, cudaGraph_t graph,           \
                                         const cudaGraphNode_t* after, size_t count,         \
                                         cudaEvent_t event) {                                \
        return add(__func__, {node, graph, after, count}, plain(WorkType{event}));           \
    }                                                                                        \
    cudaError_t cudaGraph##kind##NodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {    \
        return read<WorkType>(__func__, node, event,                                         \
                              [&](const WorkType& work) { *event = work.event; });           \
    }                                                                                        \
    cudaError_t cudaGraph##kind##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {     \
        return change(__func__, node, plain(WorkType{event}));                               \
    }                                                                                        \
    cudaError_t cudaGraphExec##kind##NodeSetEvent(cudaGraphExec_t executable,                \
                                                  cudaGraphNode_t node, cudaEvent_t event) { \
        return change_running(__func__, executable, node, plain(WorkType{event}));           \
    }
COALESCE_EVENT_NODES(EventRecord, RecordWork)
COALESCE_EVENT_NODES(EventWait, WaitWork)
#undef COALESCE_EVENT_NODES

// ---- memory ----

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count,
                                     cudaMemAllocNodeParams* parameters) {
    return add(__func__, {node, graph, after, count},
               [=](Graph&, Work& work) { return describe_allocation(parameters, work); });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* parameters) {
    return read<AllocateWork>(__func__, node, parameters, [&](const AllocateWork& work) {
        *parameters = work.parameters;
        parameters->accessDescs = work.access.data();
    });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, size_t count, void* pointer) {
    return add(__func__, {node, graph, after, count},
               [=](Graph& known, Work& work) { return describe_free(known, pointer, work); });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
    return read<FreeWork>(__func__, node, pointer, [&](const FreeWork& work) {
        *static_cast<void**>(pointer) = reinterpret_cast<void*>(work.memory->address);
    });
}

// ---- conditions ----

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags) {
    return with_graph(__func__, graph, [&](Graph& known) {
        if (!handle || flags > cudaGraphCondAssignDefault) return cudaErrorInvalidValue;
        *handle = GraphConditions::instance().create(value);
        known.conditions[*handle] = {value, flags == cudaGraphCondAssignDefault};
        return cudaSuccess;
    });
}
