// See work.h.
#include "cudart/work.h"

#include "cudart/api.h"
#include "cudart/arrays.h"
#include "cudart/graph_memory.h"
#include "cudart/graphs.h"
#include "cudart/modules.h"
#include "cudart/streams.h"
#include "execute/graph_conditions.h"

namespace coalesce::sim::cudart {
namespace {

template <class... Bodies>
struct Overloaded : Bodies... {
    using Bodies::operator()...;
};
template <class... Bodies>
Overloaded(Bodies...) -> Overloaded<Bodies...>;

cudaMemcpy3DParms box(const cudaPitchedPtr& to, const cudaPitchedPtr& from,
                      const cudaExtent& extent, cudaMemcpyKind kind) {
    cudaMemcpy3DParms parameters{};
    parameters.dstPtr = to;
    parameters.srcPtr = from;
    parameters.extent = extent;
    parameters.kind = kind;
    return parameters;
}

cudaPitchedPtr pitched(const void* begin, size_t pitch, size_t width, size_t height) {
    return {const_cast<void*>(begin), pitch, width, height};
}

/// The corner of a pitched block at which a copy begins. x counts bytes: arrays were made into memory.
cudaPitchedPtr at(cudaPitchedPtr block, const cudaPos& position) {
    const u64 offset = (position.z * block.ysize + position.y) * block.pitch + position.x;
    if (block.ptr) block.ptr = static_cast<char*>(block.ptr) + offset;
    return block;
}

bool fits(const cudaPitchedPtr& block, const cudaPos& position, const cudaExtent& extent) {
    return position.x <= block.pitch && extent.width <= block.pitch - position.x &&
           (extent.depth <= 1 ||
            (position.y <= block.ysize && extent.height <= block.ysize - position.y));
}

/// A part of a variable, for a copy.
cudaError_t part_of(const void* symbol, size_t bytes, size_t offset, void*& begin) {
    VariableAddress variable;
    if (const cudaError_t error = Modules::instance().find_variable(symbol, variable)) return error;
    if (offset > variable.bytes || bytes > variable.bytes - offset)
        return refuse(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                      " do not fit a symbol of " + std::to_string(variable.bytes) + " bytes.");
    begin = reinterpret_cast<void*>(variable.address + offset);
    return cudaSuccess;
}

// ---- what a node does ----

cudaError_t use_memory(const AllocateWork& work) {
    if (begin_use(*work.memory)) return cudaSuccess;
    return refuse(
        "the graph allocates memory that its last launch allocated and nobody freed; free it, or "
        "instantiate with cudaGraphInstantiateFlagAutoFreeOnLaunch.");
}

cudaError_t free_memory(const FreeWork& work) {
    if (end_use(*work.memory)) return cudaSuccess;
    return refuse("the graph frees memory that is not allocated.");
}

cudaError_t decide(const ConditionalWork& work) {
    const auto value = [&] { return GraphConditions::instance().get(work.handle); };
    if (work.type == cudaGraphCondTypeWhile) {
        cudaError_t error = cudaSuccess;
        while (error == cudaSuccess && value() != 0) error = run_graph(*work.bodies[0]);
        return error;
    }
    const unsigned chosen = work.type == cudaGraphCondTypeSwitch ? value() : value() != 0 ? 0 : 1;
    return chosen < work.bodies.size() ? run_graph(*work.bodies[chosen]) : cudaSuccess;
}

}  // namespace

cudaGraphNodeType type_of(const Work& work) {
    constexpr cudaGraphNodeType types[] = {
        cudaGraphNodeTypeKernel,      cudaGraphNodeTypeMemcpy,     cudaGraphNodeTypeMemset,
        cudaGraphNodeTypeHost,        cudaGraphNodeTypeGraph,      cudaGraphNodeTypeEmpty,
        cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent,  cudaGraphNodeTypeMemAlloc,
        cudaGraphNodeTypeMemFree,     cudaGraphNodeTypeConditional};
    static_assert(std::size(types) == std::variant_size_v<Work>);
    return types[work.index()];
}

// ---- descriptions ----

cudaError_t describe_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                          Work& work) {
    work = box(pitched(to, bytes, bytes, 1), pitched(from, bytes, bytes, 1), {bytes, 1, 1}, kind);
    return cudaSuccess;
}

cudaError_t describe_copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                             size_t width, size_t height, cudaMemcpyKind kind, Work& work) {
    if (width > to_pitch || width > from_pitch)
        return refuse("a row of " + std::to_string(width) +
                          " bytes is wider than a pitch (destination " + std::to_string(to_pitch) +
                          ", source " + std::to_string(from_pitch) + ").",
                      cudaErrorInvalidPitchValue);
    work = box(pitched(to, to_pitch, width, height), pitched(from, from_pitch, width, height),
               {width, height, 1}, kind);
    return cudaSuccess;
}

cudaError_t describe_copy_3d(const cudaMemcpy3DParms* parameters, Work& work) {
    if (!parameters) return cudaErrorInvalidValue;
    work = *parameters;
    return cudaSuccess;
}

cudaError_t describe_copy_to_symbol(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, Work& work) {
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
        return cudaErrorInvalidMemcpyDirection;
    void* begin = nullptr;
    if (const cudaError_t error = part_of(symbol, bytes, offset, begin)) return error;
    return describe_copy(begin, from, bytes, kind, work);
}

cudaError_t describe_copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, Work& work) {
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
        return cudaErrorInvalidMemcpyDirection;
    void* begin = nullptr;
    if (const cudaError_t error = part_of(symbol, bytes, offset, begin)) return error;
    return describe_copy(to, begin, bytes, kind, work);
}

cudaError_t describe_allocation(size_t bytes, AllocateWork& work) {
    work.memory = reserve_graph_memory(bytes);
    if (!work.memory) return cudaErrorMemoryAllocation;
    work.parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    work.parameters.poolProps.location = {cudaMemLocationTypeDevice, 0};
    work.parameters.bytesize = bytes;
    work.parameters.dptr = reinterpret_cast<void*>(work.memory->address);
    return cudaSuccess;
}

cudaError_t describe_fill(void* to, int value, size_t bytes, Work& work) {
    work = FillWork{.to = {to, bytes, bytes, 1},
                    .extent = {bytes, 1, 1},
                    .value = static_cast<unsigned>(value)};
    return cudaSuccess;
}

// ---- checks, and the work itself ----

namespace {

cudaError_t transfer(const CopyWork& described, decltype(check_copy) action) {
    CopyWork work;
    if (const cudaError_t error = without_arrays(described, work)) return error;
    if (!is_empty(work.extent) && (!fits(work.dstPtr, work.dstPos, work.extent) ||
                                   !fits(work.srcPtr, work.srcPos, work.extent))) {
        return cudaErrorInvalidPitchValue;
    }
    return action(at(work.dstPtr, work.dstPos), at(work.srcPtr, work.srcPos), work.extent,
                  work.kind);
}

cudaError_t check_shape(const FillWork& work) {
    const bool is_row = work.extent.height <= 1 && work.extent.depth <= 1;
    const bool fits_rows = work.extent.depth <= 1 || work.extent.height <= work.to.ysize;
    if ((!is_row && work.extent.width > work.to.pitch) || !fits_rows) return cudaErrorInvalidValue;
    const bool known = work.element == 1 || work.element == 2 || work.element == 4;
    return known && reinterpret_cast<u64>(work.to.ptr) % work.element == 0 ? cudaSuccess
                                                                           : cudaErrorInvalidValue;
}

cudaError_t check_kernel(const KernelWork& work) {
    KernelHandle* handle = nullptr;
    if (const cudaError_t error = find_to_run(work.function, handle)) return error;
    return check_launch(*handle, work.request, work.arguments->list());
}

}  // namespace

cudaError_t check(const Work& work) {
    return std::visit(
        Overloaded{
            [](const KernelWork& kernel) { return check_kernel(kernel); },
            [](const CopyWork& copied) { return transfer(copied, check_copy); },
            [](const FillWork& filled) {
                if (const cudaError_t error = check_shape(filled)) return error;
                return check_fill(filled.to, filled.extent);
            },
            [](const HostWork& host) { return host.fn ? cudaSuccess : cudaErrorInvalidValue; },
            [](const RecordWork& record) { return check_event(record.event); },
            [](const WaitWork& wait) { return check_event(wait.event); },
            [](const auto&) { return cudaSuccess; }},
        work);
}

cudaError_t carry_out(const Work& work) {
    return std::visit(
        Overloaded{[](const KernelWork& kernel) {
                       return launch_now(kernel.function, kernel.request, kernel.arguments->list());
                   },
                   [](const CopyWork& copied) { return transfer(copied, copy); },
                   [](const FillWork& filled) {
                       if (const cudaError_t error = check_shape(filled)) return error;
                       return fill(filled.to, filled.extent, filled.value, filled.element);
                   },
                   [](const HostWork& host) {
                       if (!host.fn) return cudaErrorInvalidValue;
                       host.fn(host.userData);
                       return cudaSuccess;
                   },
                   [](const ChildWork& child) { return run_graph(*child.graph); },
                   [](const EmptyWork&) { return cudaSuccess; },
                   [](const RecordWork& record) { return record_now(record.event); },
                   [](const WaitWork& wait) { return check_event(wait.event); },
                   [](const AllocateWork& allocate) { return use_memory(allocate); },
                   [](const FreeWork& freed) { return free_memory(freed); },
                   [](const ConditionalWork& conditional) { return decide(conditional); }},
        work);
}

}  // namespace coalesce::sim::cudart
