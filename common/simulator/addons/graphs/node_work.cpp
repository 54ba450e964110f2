// Executes the kinds of work that occur only in graphs: child graphs, graph memory and conditional
// nodes (cudart/addons.h).
#include "simulator/addons/graphs/capture_state.h"
#include "simulator/addons/graphs/graph_memory.h"
#include "simulator/addons/graphs/graphs.h"
#include "simulator/cudart/addons.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/capture.h"
#include "simulator/execute/graph_conditions.h"

namespace coalesce::simulator::cudart {

void execute_node(const ChildWork& work) {
    run_graph(*work.graph);
}

void execute_node(const AllocateWork& work) {
    if (begin_use(*work.memory)) return;
    refuse(
        "the memory that the graph's last launch allocated was never freed; free it, or "
        "instantiate the graph with cudaGraphInstantiateFlagAutoFreeOnLaunch.");
}

void execute_node(const FreeWork& work) {
    if (!end_use(*work.memory)) refuse("the graph frees memory that is not currently allocated.");
}

void execute_node(const ConditionalWork& work) {
    const auto value = [&] { return GraphConditions::instance().get_value(work.handle); };
    if (work.type == cudaGraphCondTypeWhile) {
        while (value() != 0) run_graph(*work.body_graphs[0]);
        return;
    }
    const unsigned branch_index = work.type == cudaGraphCondTypeSwitch ? value()
                                  : value() != 0                       ? 0
                                                                       : 1;
    if (branch_index < work.body_graphs.size()) run_graph(*work.body_graphs[branch_index]);
}

AllocateWork describe_allocation(size_t bytes) {
    AllocateWork work;
    work.memory = reserve_graph_memory(bytes);
    require(work.memory != nullptr, cudaErrorMemoryAllocation);
    work.parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    work.parameters.poolProps.location = {cudaMemLocationTypeDevice, 0};
    work.parameters.bytesize = bytes;
    work.parameters.dptr = reinterpret_cast<void*>(work.memory->address);
    return work;
}

void capture_allocation(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                        void** pointer, size_t bytes) {
    require(pointer && bytes > 0);
    AllocateWork work = describe_allocation(bytes);
    *pointer = work.parameters.dptr;
    capture_work(capture, stream, std::move(work));
}

void capture_free(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                  const void* pointer) {
    FreeWork work{find_graph_memory(pointer)};
    if (!work.memory) refuse("a graph can free only memory that a graph has allocated.");
    capture_work(capture, stream, std::move(work));
}

bool free_graph_memory(const void* pointer) {
    const auto memory = find_graph_memory(pointer);
    if (!memory) return false;
    if (!end_use(*memory))
        refuse("the memory belongs to a graph, and no launch has allocated it since it was freed.");
    return true;
}

void forget_graphs() {
    forget_captures();
    Graphs::instance().clear();
    trim_graph_memory();
}

}  // namespace coalesce::simulator::cudart
