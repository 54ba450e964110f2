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

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

cudaMemcpy3DParms make_copy_parameters(const cudaPitchedPtr& to, const cudaPitchedPtr& from,
                                       const cudaExtent& extent, cudaMemcpyKind kind) {
    cudaMemcpy3DParms parameters{};
    parameters.dstPtr = to;
    parameters.srcPtr = from;
    parameters.extent = extent;
    parameters.kind = kind;
    return parameters;
}

cudaPitchedPtr make_pitched(const void* begin, size_t pitch, size_t width, size_t height) {
    return {const_cast<void*>(begin), pitch, width, height};
}

/// Returns the part of `block` that starts at `position`, the corner at which a copy begins.
/// `position.x` is in bytes, because arrays have been converted to linear memory.
cudaPitchedPtr pitched_pointer_at(cudaPitchedPtr block, const cudaPos& position) {
    const u64 offset = (position.z * block.ysize + position.y) * block.pitch + position.x;
    if (block.ptr) block.ptr = static_cast<char*>(block.ptr) + offset;
    return block;
}

bool fits_in_block(const cudaPitchedPtr& block, const cudaPos& position, const cudaExtent& extent) {
    return position.x <= block.pitch && extent.width <= block.pitch - position.x &&
           (extent.depth <= 1 ||
            (position.y <= block.ysize && extent.height <= block.ysize - position.y));
}

/// Returns the address of the part of a variable that a copy accesses. Fails if the part extends
/// beyond the variable.
void* find_address_in_symbol(const void* symbol, size_t bytes, size_t offset) {
    const VariableAddress variable = Modules::instance().find_variable(symbol);
    if (offset > variable.bytes || bytes > variable.bytes - offset)
        refuse(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
               " do not fit into a symbol of " + std::to_string(variable.bytes) + " bytes.");
    return reinterpret_cast<void*>(variable.address + offset);
}

}  // namespace

cudaGraphNodeType find_node_type(const Work& work) {
    constexpr cudaGraphNodeType node_types[] = {
        cudaGraphNodeTypeKernel,      cudaGraphNodeTypeMemcpy,     cudaGraphNodeTypeMemset,
        cudaGraphNodeTypeHost,        cudaGraphNodeTypeGraph,      cudaGraphNodeTypeEmpty,
        cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent,  cudaGraphNodeTypeMemAlloc,
        cudaGraphNodeTypeMemFree,     cudaGraphNodeTypeConditional};
    static_assert(std::size(node_types) == std::variant_size_v<Work>);
    return node_types[work.index()];
}

// ---- descriptions ----

Work describe_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return make_copy_parameters(make_pitched(to, bytes, bytes, 1),
                                make_pitched(from, bytes, bytes, 1), {bytes, 1, 1}, kind);
}

Work describe_copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch)
        refuse("a row of " + std::to_string(width) +
                   " bytes is longer than the pitch (destination " + std::to_string(to_pitch) +
                   ", source " + std::to_string(from_pitch) + ").",
               cudaErrorInvalidPitchValue);
    return make_copy_parameters(make_pitched(to, to_pitch, width, height),
                                make_pitched(from, from_pitch, width, height), {width, height, 1},
                                kind);
}

Work describe_copy_3d(const cudaMemcpy3DParms* parameters) {
    require(parameters);
    return *parameters;
}

Work describe_copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                             cudaMemcpyKind kind) {
    require(kind != cudaMemcpyHostToHost && kind != cudaMemcpyDeviceToHost,
            cudaErrorInvalidMemcpyDirection);
    return describe_copy(find_address_in_symbol(symbol, bytes, offset), from, bytes, kind);
}

Work describe_copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
    require(kind != cudaMemcpyHostToHost && kind != cudaMemcpyHostToDevice,
            cudaErrorInvalidMemcpyDirection);
    return describe_copy(to, find_address_in_symbol(symbol, bytes, offset), bytes, kind);
}

Work describe_fill(void* to, int value, size_t bytes) {
    return FillWork{.to = {to, bytes, bytes, 1},
                    .extent = {bytes, 1, 1},
                    .value = static_cast<unsigned>(value)};
}

// ---- checking and executing work ----

namespace {

void perform_copy(const CopyWork& copy_work, decltype(check_copy) perform) {
    const CopyWork work = replace_arrays_by_memory(copy_work);
    require(is_empty(work.extent) || (fits_in_block(work.dstPtr, work.dstPos, work.extent) &&
                                      fits_in_block(work.srcPtr, work.srcPos, work.extent)),
            cudaErrorInvalidPitchValue);
    perform(pitched_pointer_at(work.dstPtr, work.dstPos),
            pitched_pointer_at(work.srcPtr, work.srcPos), work.extent, work.kind);
}

void check_shape(const FillWork& work) {
    const bool is_row = work.extent.height <= 1 && work.extent.depth <= 1;
    require(is_row || work.extent.width <= work.to.pitch);
    require(work.extent.depth <= 1 || work.extent.height <= work.to.ysize);
    require(work.element_bytes == 1 || work.element_bytes == 2 || work.element_bytes == 4);
    require(reinterpret_cast<u64>(work.to.ptr) % work.element_bytes == 0);
}

}  // namespace

void check_work(const Work& work) {
    std::visit(Overloaded{[](const KernelWork& kernel_work) {
                              check_launch(find_runnable_kernel(kernel_work.function),
                                           kernel_work.request,
                                           kernel_work.arguments->argument_list());
                          },
                          [](const CopyWork& copy_work) { perform_copy(copy_work, check_copy); },
                          [](const FillWork& fill_work) {
                              check_shape(fill_work);
                              check_fill(fill_work.to, fill_work.extent);
                          },
                          [](const HostWork& host_work) { require(host_work.fn); },
                          [](const RecordWork& record) { check_event(record.event); },
                          [](const WaitWork& wait_work) { check_event(wait_work.event); },
                          [](const auto&) {}},
               work);
}

void execute_work(const Work& work) {
    std::visit(Overloaded{[](const KernelWork& kernel_work) {
                              launch_immediately(kernel_work.function, kernel_work.request,
                                                 kernel_work.arguments->argument_list());
                          },
                          [](const CopyWork& copy_work) { perform_copy(copy_work, copy); },
                          [](const FillWork& fill_work) {
                              check_shape(fill_work);
                              fill(fill_work.to, fill_work.extent, fill_work.value,
                                   fill_work.element_bytes);
                          },
                          [](const HostWork& host_work) {
                              require(host_work.fn);
                              host_work.fn(host_work.userData);
                              // The host function may set a flag that tells the host thread that
                              // earlier work is complete.
                              StreamWork::record_host_wait();
                          },
                          [](const EmptyWork&) {},
                          [](const RecordWork& record) {
                              record_immediately(record.event);
                              StreamWork::record(record.event);
                          },
                          [](const WaitWork& wait_work) {
                              check_event(wait_work.event);
                              StreamWork::wait_for_event(wait_work.event);
                          },
                          [](const auto& graph_work) { execute_node(graph_work); }},
               work);
}

void execute_or_capture(cudaStream_t stream, Work work) {
    check_default_stream_order(stream);
    if (const auto capture = find_capture(stream)) {
        capture_work(capture, stream, std::move(work));
        return;
    }
    const StreamWork stream_work(stream);
    execute_work(work);
}

}  // namespace coalesce::simulator::cudart
