// See node_parameters.h.
#include "simulator/addons/graphs/node_parameters.h"

#include "simulator/addons/graphs/graph_calls.h"
#include "simulator/addons/graphs/graph_memory.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/modules.h"

namespace coalesce::simulator::cudart {

Work describe_kernel(const cudaKernelNodeParams* p) {
    require(p && !(p->kernelParams && p->extra));
    KernelWork kernel;
    kernel.function = p->func;
    kernel.request.grid = p->gridDim;
    kernel.request.block = p->blockDim;
    kernel.request.dynamic_shared_bytes = p->sharedMemBytes;
    const KernelHandle& handle = find_runnable_kernel(p->func);
    if (p->extra) {
        kernel.arguments = unpack_argument_buffer(handle, p->extra);
    } else {
        if (!p->kernelParams && !handle.kernel->ast->parameters.empty())
            refuse("the list of the kernel's arguments is a null pointer.");
        kernel.arguments = copy_arguments(handle, p->kernelParams);
    }
    return kernel;
}

Work describe_memset(const cudaMemsetParams* p) {
    require(p);
    const size_t row_bytes = p->width * p->elementSize;
    return FillWork{.to = {p->dst, p->pitch, row_bytes, p->height},
                    .extent = {row_bytes, p->height, 1},
                    .value = p->value,
                    .element_bytes = p->elementSize};
}

Work describe_host(const cudaHostNodeParams* p) {
    require(p && p->fn);
    return *p;
}

namespace {

std::shared_ptr<Graph> make_nested_graph() {
    auto nested_graph = std::make_shared<Graph>();
    nested_graph->is_nested = true;
    return nested_graph;
}

Work describe_conditional(const Graph& graph, cudaConditionalNodeParams& p) {
    const auto condition = graph.conditions.find(p.handle);
    const bool is_valid_size = p.type == cudaGraphCondTypeWhile ? p.size == 1
                               : p.type == cudaGraphCondTypeIf  ? p.size == 1 || p.size == 2
                                                                : p.size > 0;
    const bool is_valid_type = p.type >= cudaGraphCondTypeIf && p.type <= cudaGraphCondTypeSwitch;
    if (condition == graph.conditions.end())
        refuse("the conditional handle was not created for this graph.");
    if (!is_valid_type || !is_valid_size)
        refuse("the number of body graphs does not match the type of the conditional node.");
    ConditionalWork conditional;
    conditional.handle = p.handle;
    conditional.type = p.type;
    conditional.body_handles = std::make_shared<std::vector<cudaGraph_t>>();
    for (unsigned i = 0; i < p.size; ++i) {
        conditional.body_graphs.push_back(make_nested_graph());
        conditional.body_handles->push_back(to_handle(conditional.body_graphs.back().get()));
    }
    p.phGraph_out = conditional.body_handles->data();
    return conditional;
}

}  // namespace

Work describe_child(cudaGraph_t handle, bool takes_ownership) {
    Graph& child = require_known(handle, "child graph");
    if (child.any_node(is_conditional) || (!takes_ownership && child.any_node(is_memory_node)))
        refuse(
            "a graph with conditional nodes cannot be a child graph. A graph that allocates memory "
            "can be a child graph only if its ownership moves to the parent graph "
            "(cudaGraphChildGraphOwnershipMove).");
    std::shared_ptr<Graph> nested_graph = takes_ownership ? child.shared_from_this() : child.copy();
    require(!takes_ownership || Graphs::instance().destroy(&child));
    nested_graph->is_nested = true;
    return ChildWork{std::move(nested_graph)};
}

Work describe_allocation(cudaMemAllocNodeParams* p) {
    require(p && p->bytesize > 0 && (p->accessDescCount == 0 || p->accessDescs));
    if (p->poolProps.location.type != cudaMemLocationTypeDevice ||
        p->poolProps.handleTypes != cudaMemHandleTypeNone)
        refuse("graphs can allocate only device memory that is not shared with other processes.");
    AllocateWork allocation = describe_allocation(p->bytesize);
    p->dptr = allocation.parameters.dptr;
    allocation.parameters = *p;
    allocation.access_descriptions.assign(p->accessDescs, p->accessDescs + p->accessDescCount);
    return allocation;
}

Work describe_free(const Graph& graph, void* pointer) {
    FreeWork free_work{find_graph_memory(pointer)};
    if (!free_work.memory) refuse("a graph can free only memory that a graph has allocated.");
    const bool is_freed_twice = graph.any_node([&](const Node& node) {
        const auto* earlier_free = std::get_if<FreeWork>(&node.work);
        return earlier_free && earlier_free->memory == free_work.memory;
    });
    if (is_freed_twice) refuse("another node of the graph already frees this memory.");
    const bool is_allocated_by_graph = graph.any_node([&](const Node& node) {
        const auto* allocation = std::get_if<AllocateWork>(&node.work);
        return allocation && allocation->memory == free_work.memory;
    });
    if (is_allocated_by_graph && free_work.memory->is_in_use)
        refuse(
            "this memory was allocated by a launch of the graph and is still in use, so it must be "
            "freed outside of the graph; a node of the graph cannot free it.");
    return free_work;
}

Work describe(Graph& graph, cudaGraphNodeParams* p) {
    require(p);
    switch (p->type) {
        case cudaGraphNodeTypeKernel: {
            const cudaKernelNodeParams kernel_parameters{
                p->kernel.func,           p->kernel.gridDim,      p->kernel.blockDim,
                p->kernel.sharedMemBytes, p->kernel.kernelParams, p->kernel.extra};
            return describe_kernel(&kernel_parameters);
        }
        case cudaGraphNodeTypeMemcpy: return p->memcpy.copyParams;
        case cudaGraphNodeTypeMemset: {
            const cudaMemsetParams memset_parameters{p->memset.dst,   p->memset.pitch,
                                                     p->memset.value, p->memset.elementSize,
                                                     p->memset.width, p->memset.height};
            return describe_memset(&memset_parameters);
        }
        case cudaGraphNodeTypeHost: {
            const cudaHostNodeParams host_parameters{p->host.fn, p->host.userData};
            return describe_host(&host_parameters);
        }
        case cudaGraphNodeTypeGraph:
            return describe_child(p->graph.graph,
                                  p->graph.ownership == cudaGraphChildGraphOwnershipMove);
        case cudaGraphNodeTypeEmpty: return EmptyWork{};
        case cudaGraphNodeTypeWaitEvent: return WaitWork{p->eventWait.event};
        case cudaGraphNodeTypeEventRecord: return RecordWork{p->eventRecord.event};
        case cudaGraphNodeTypeMemAlloc: {
            cudaMemAllocNodeParamsV2& allocation_parameters = p->alloc;
            cudaMemAllocNodeParams first_version_parameters{
                allocation_parameters.poolProps, allocation_parameters.accessDescs,
                allocation_parameters.accessDescCount, allocation_parameters.bytesize, nullptr};
            Work work = describe_allocation(&first_version_parameters);
            allocation_parameters.dptr = first_version_parameters.dptr;
            return work;
        }
        case cudaGraphNodeTypeMemFree: return describe_free(graph, p->free.dptr);
        case cudaGraphNodeTypeConditional: return describe_conditional(graph, p->conditional);
        case cudaGraphNodeTypeExtSemaphoreSignal:
        case cudaGraphNodeTypeExtSemaphoreWait:
            fail_not_simulated("a graph node for external semaphores");
        default: fail();
    }
}

cudaKernelNodeParams to_node_parameters(const KernelWork& work) {
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(work.function);
    parameters.gridDim = work.request.grid;
    parameters.blockDim = work.request.block;
    parameters.sharedMemBytes = static_cast<unsigned>(work.request.dynamic_shared_bytes);
    parameters.kernelParams = work.arguments->argument_list();
    return parameters;
}

cudaMemsetParams to_node_parameters(const FillWork& work) {
    cudaMemsetParams parameters{};
    parameters.dst = work.to.ptr;
    parameters.pitch = work.to.pitch;
    parameters.value = work.value;
    parameters.elementSize = work.element_bytes;
    parameters.width = work.extent.width / work.element_bytes;
    parameters.height = work.extent.height;
    return parameters;
}

}  // namespace coalesce::simulator::cudart
