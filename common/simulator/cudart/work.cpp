// See work.h.
#include "simulator/cudart/work.h"

#include "simulator/cudart/addons.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/capture.h"
#include "simulator/cudart/modules.h"
#include "simulator/cudart/streams.h"

namespace coalesce::simulator::cudart {

std::atomic<int> captures_in_progress{0};

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

cudaPitchedPtr to_pitched(const void* begin, size_t pitch, size_t width, size_t height) {
    return {const_cast<void*>(begin), pitch, width, height};
}

/// Returns the part of `block` that starts at `position`, the corner at which a copy begins.
/// `position.x` is in bytes, because arrays have been converted to linear memory.
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

/// Returns the address of the part of a variable that a copy accesses. Fails if the part extends
/// beyond the variable.
void* address_in_symbol(const void* symbol, size_t bytes, size_t offset) {
    const VariableAddress variable = Modules::instance().find_variable(symbol);
    if (offset > variable.bytes || bytes > variable.bytes - offset)
        refuse(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
               " do not fit into a symbol of " + std::to_string(variable.bytes) + " bytes.");
    return reinterpret_cast<void*>(variable.address + offset);
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

Work describe_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return box(to_pitched(to, bytes, bytes, 1), to_pitched(from, bytes, bytes, 1), {bytes, 1, 1},
               kind);
}

Work describe_copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch)
        refuse("a row of " + std::to_string(width) +
                   " bytes is longer than the pitch (destination " + std::to_string(to_pitch) +
                   ", source " + std::to_string(from_pitch) + ").",
               cudaErrorInvalidPitchValue);
    return box(to_pitched(to, to_pitch, width, height), to_pitched(from, from_pitch, width, height),
               {width, height, 1}, kind);
}

Work describe_copy_3d(const cudaMemcpy3DParms* parameters) {
    require(parameters);
    return *parameters;
}

Work describe_copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                             cudaMemcpyKind kind) {
    require(kind != cudaMemcpyHostToHost && kind != cudaMemcpyDeviceToHost,
            cudaErrorInvalidMemcpyDirection);
    return describe_copy(address_in_symbol(symbol, bytes, offset), from, bytes, kind);
}

Work describe_copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
    require(kind != cudaMemcpyHostToHost && kind != cudaMemcpyHostToDevice,
            cudaErrorInvalidMemcpyDirection);
    return describe_copy(to, address_in_symbol(symbol, bytes, offset), bytes, kind);
}

Work describe_fill(void* to, int value, size_t bytes) {
    return FillWork{.to = {to, bytes, bytes, 1},
                    .extent = {bytes, 1, 1},
                    .value = static_cast<unsigned>(value)};
}

// ---- checking and executing work ----

namespace {

void perform_copy(const CopyWork& described, decltype(check_copy) action) {
    const CopyWork work = replace_arrays_by_memory(described);
    require(is_empty(work.extent) || (fits(work.dstPtr, work.dstPos, work.extent) &&
                                      fits(work.srcPtr, work.srcPos, work.extent)),
            cudaErrorInvalidPitchValue);
    action(at(work.dstPtr, work.dstPos), at(work.srcPtr, work.srcPos), work.extent, work.kind);
}

void check_shape(const FillWork& work) {
    const bool is_row = work.extent.height <= 1 && work.extent.depth <= 1;
    require(is_row || work.extent.width <= work.to.pitch);
    require(work.extent.depth <= 1 || work.extent.height <= work.to.ysize);
    require(work.element == 1 || work.element == 2 || work.element == 4);
    require(reinterpret_cast<u64>(work.to.ptr) % work.element == 0);
}

}  // namespace

void check(const Work& work) {
    std::visit(
        Overloaded{[](const KernelWork& kernel) {
                       check_launch(find_runnable_kernel(kernel.function), kernel.request,
                                    kernel.arguments->list());
                   },
                   [](const CopyWork& copied) { perform_copy(copied, check_copy); },
                   [](const FillWork& filled) {
                       check_shape(filled);
                       check_fill(filled.to, filled.extent);
                   },
                   [](const HostWork& host) { require(host.fn); },
                   [](const RecordWork& record) { check_event(record.event); },
                   [](const WaitWork& wait) { check_event(wait.event); }, [](const auto&) {}},
        work);
}

void execute_work(const Work& work) {
    std::visit(Overloaded{[](const KernelWork& kernel) {
                              launch_now(kernel.function, kernel.request, kernel.arguments->list());
                          },
                          [](const CopyWork& copied) { perform_copy(copied, copy); },
                          [](const FillWork& filled) {
                              check_shape(filled);
                              fill(filled.to, filled.extent, filled.value, filled.element);
                          },
                          [](const HostWork& host) {
                              require(host.fn);
                              host.fn(host.userData);
                              // The host function may set a flag that tells the host thread that
                              // earlier work is complete.
                              StreamWork::let_host_wait();
                          },
                          [](const EmptyWork&) {},
                          [](const RecordWork& record) {
                              record_now(record.event);
                              StreamWork::record(record.event);
                          },
                          [](const WaitWork& wait) {
                              check_event(wait.event);
                              StreamWork::wait_for(wait.event);
                          },
                          [](const auto& of_graph) { execute_node(of_graph); }},
               work);
}

void execute_or_capture(cudaStream_t stream, Work work) {
    check_default_stream_order(stream);
    if (const auto capture = find_capture(stream)) {
        capture_work(capture, stream, std::move(work));
        return;
    }
    const StreamWork queued(stream);
    execute_work(work);
}

}  // namespace coalesce::simulator::cudart
