// See node_parameters.h.
#include "cudart/node_parameters.h"

#include "cudart/api.h"
#include "cudart/graph_calls.h"
#include "cudart/graph_memory.h"
#include "cudart/modules.h"

namespace coalesce::sim::cudart {

cudaError_t describe(const cudaKernelNodeParams* p, Work& work) {
    if (!p || (p->kernelParams && p->extra)) return cudaErrorInvalidValue;
    KernelWork kernel;
    kernel.function = p->func;
    kernel.request.grid = p->gridDim;
    kernel.request.block = p->blockDim;
    kernel.request.shared = p->sharedMemBytes;
    KernelHandle* handle = nullptr;
    cudaError_t error = find_to_run(p->func, handle);
    if (error != cudaSuccess) return error;
    if (p->extra) {
        error = unpack_extra(*handle, p->extra, kernel.arguments);
        if (error != cudaSuccess) return error;
    } else {
        if (!p->kernelParams && !handle->kernel->ast->parameters.empty())
            return refuse("the list of the kernel's arguments is a null pointer.");
        kernel.arguments = copy_arguments(*handle, p->kernelParams);
    }
    work = std::move(kernel);
    return cudaSuccess;
}

cudaError_t describe(const cudaMemcpy3DParms* p, Work& work) {
    return describe_copy_3d(p, work);
}

cudaError_t describe(const cudaMemsetParams* p, Work& work) {
    if (!p) return cudaErrorInvalidValue;
    const size_t row = p->width * p->elementSize;
    work = FillWork{.to = {p->dst, p->pitch, row, p->height},
                    .extent = {row, p->height, 1},
                    .value = p->value,
                    .element = p->elementSize};
    return cudaSuccess;
}

cudaError_t describe(const cudaHostNodeParams* p, Work& work) {
    if (!p || !p->fn) return cudaErrorInvalidValue;
    work = *p;
    return cudaSuccess;
}

namespace {

std::shared_ptr<Graph> new_part() {
    auto part = std::make_shared<Graph>();
    part->is_part = true;
    return part;
}

cudaError_t describe(const Graph& graph, const cudaConditionalNodeParams& p, cudaGraph_t*& bodies,
                     Work& work) {
    const auto made = graph.conditions.find(p.handle);
    const bool is_size = p.type == cudaGraphCondTypeWhile ? p.size == 1
                         : p.type == cudaGraphCondTypeIf  ? p.size == 1 || p.size == 2
                                                          : p.size > 0;
    const bool is_type = p.type >= cudaGraphCondTypeIf && p.type <= cudaGraphCondTypeSwitch;
    if (made == graph.conditions.end() || !is_type || !is_size)
        return refuse(made == graph.conditions.end()
                          ? "the conditional handle was not made for this graph."
                          : "the number of bodies does not fit the type.");
    ConditionalWork conditional;
    conditional.handle = p.handle;
    conditional.type = p.type;
    conditional.handles = std::make_shared<std::vector<cudaGraph_t>>();
    for (unsigned i = 0; i < p.size; ++i) {
        conditional.bodies.push_back(new_part());
        conditional.handles->push_back(handle_of(conditional.bodies.back().get()));
    }
    bodies = conditional.handles->data();
    work = std::move(conditional);
    return cudaSuccess;
}

cudaError_t describe(cudaMemAllocNodeParamsV2& p, Work& work) {
    cudaMemAllocNodeParams plain{p.poolProps, p.accessDescs, p.accessDescCount, p.bytesize,
                                 nullptr};
    const cudaError_t error = describe_allocation(&plain, work);
    p.dptr = plain.dptr;
    return error;
}

}  // namespace

cudaError_t describe_child(cudaGraph_t handle, bool moves, Work& work) {
    Graph* child = Graphs::instance().find(handle);
    if (!child) return unknown_handle("child graph");
    if (child->has(is_conditional) || (!moves && child->has(is_of_memory)))
        return refuse(
            "a graph with conditional nodes cannot be a child, and one that allocates memory only "
            "when it is moved to its parent.");
    std::shared_ptr<Graph> part = moves ? child->shared_from_this() : child->copy();
    if (moves && !Graphs::instance().destroy(child)) return cudaErrorInvalidValue;
    part->is_part = true;
    work = ChildWork{std::move(part)};
    return cudaSuccess;
}

cudaError_t describe_allocation(cudaMemAllocNodeParams* p, Work& work) {
    if (!p || p->bytesize == 0 || (p->accessDescCount > 0 && !p->accessDescs))
        return cudaErrorInvalidValue;
    if (p->poolProps.location.type != cudaMemLocationTypeDevice ||
        p->poolProps.handleTypes != cudaMemHandleTypeNone)
        return refuse("graphs allocate memory of the device, for this process alone.");
    AllocateWork allocation;
    if (const cudaError_t error = describe_allocation(p->bytesize, allocation)) return error;
    p->dptr = allocation.parameters.dptr;
    allocation.parameters = *p;
    allocation.access.assign(p->accessDescs, p->accessDescs + p->accessDescCount);
    work = std::move(allocation);
    return cudaSuccess;
}

cudaError_t describe_free(const Graph& graph, void* pointer, Work& work) {
    FreeWork freed{find_graph_memory(pointer)};
    if (!freed.memory) return refuse("what a graph frees, a graph must have allocated.");
    const bool is_second = graph.has([&](const Node& node) {
        const auto* other = std::get_if<FreeWork>(&node.work);
        return other && other->memory == freed.memory;
    });
    if (is_second) return refuse("the graph frees this memory already.");
    const bool is_own = graph.has([&](const Node& node) {
        const auto* allocation = std::get_if<AllocateWork>(&node.work);
        return allocation && allocation->memory == freed.memory;
    });
    if (is_own && freed.memory->in_use)
        return refuse(
            "a launch of the graph allocated this memory, and it is in use since: what is freed "
            "outside the graph, the graph cannot free.");
    work = std::move(freed);
    return cudaSuccess;
}

cudaError_t describe(Graph& graph, cudaGraphNodeParams* p, Work& work) {
    if (!p) return cudaErrorInvalidValue;
    switch (p->type) {
        case cudaGraphNodeTypeKernel: {
            const cudaKernelNodeParams kernel{p->kernel.func,         p->kernel.gridDim,
                                              p->kernel.blockDim,     p->kernel.sharedMemBytes,
                                              p->kernel.kernelParams, p->kernel.extra};
            return describe(&kernel, work);
        }
        case cudaGraphNodeTypeMemcpy: return describe(&p->memcpy.copyParams, work);
        case cudaGraphNodeTypeMemset: {
            const cudaMemsetParams fill{p->memset.dst,         p->memset.pitch, p->memset.value,
                                        p->memset.elementSize, p->memset.width, p->memset.height};
            return describe(&fill, work);
        }
        case cudaGraphNodeTypeHost: {
            const cudaHostNodeParams host{p->host.fn, p->host.userData};
            return describe(&host, work);
        }
        case cudaGraphNodeTypeGraph:
            return describe_child(p->graph.graph,
                                  p->graph.ownership == cudaGraphChildGraphOwnershipMove, work);
        case cudaGraphNodeTypeEmpty: work = EmptyWork{}; return cudaSuccess;
        case cudaGraphNodeTypeWaitEvent: work = WaitWork{p->eventWait.event}; return cudaSuccess;
        case cudaGraphNodeTypeEventRecord:
            work = RecordWork{p->eventRecord.event};
            return cudaSuccess;
        case cudaGraphNodeTypeMemAlloc: return describe(p->alloc, work);
        case cudaGraphNodeTypeMemFree: return describe_free(graph, p->free.dptr, work);
        case cudaGraphNodeTypeConditional:
            return describe(graph, p->conditional, p->conditional.phGraph_out, work);
        case cudaGraphNodeTypeExtSemaphoreSignal:
        case cudaGraphNodeTypeExtSemaphoreWait:
            return not_simulated("a graph node for semaphores of other programs");
        default: return cudaErrorInvalidValue;
    }
}

cudaKernelNodeParams parameters_of(const KernelWork& work) {
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(work.function);
    parameters.gridDim = work.request.grid;
    parameters.blockDim = work.request.block;
    parameters.sharedMemBytes = static_cast<unsigned>(work.request.shared);
    parameters.kernelParams = work.arguments->list();
    return parameters;
}

cudaMemsetParams parameters_of(const FillWork& work) {
    cudaMemsetParams parameters{};
    parameters.dst = work.to.ptr;
    parameters.pitch = work.to.pitch;
    parameters.value = work.value;
    parameters.elementSize = work.element;
    parameters.width = work.extent.width / work.element;
    parameters.height = work.extent.height;
    return parameters;
}

}  // namespace coalesce::sim::cudart
