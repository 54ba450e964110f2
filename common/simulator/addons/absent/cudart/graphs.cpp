// Replaces addons/graphs in a build without addons. Such a build has no graphs, and never captures
// a stream.
#include "simulator/cudart/addons.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/capture.h"

namespace coalesce::simulator::cudart {

// ---- functions that need a graph ----

static constexpr const char* kGraphs = "a graph in a build without addons";

void execute_node(const ChildWork&) {
    not_simulated(kGraphs);
}
void execute_node(const AllocateWork&) {
    not_simulated(kGraphs);
}
void execute_node(const FreeWork&) {
    not_simulated(kGraphs);
}
void execute_node(const ConditionalWork&) {
    not_simulated(kGraphs);
}
void invalidate_on_failure(Capture&, const std::function<void()>&) {
    not_simulated(kGraphs);
}
void capture_work(const std::shared_ptr<Capture>&, cudaStream_t, Work) {
    not_simulated(kGraphs);
}
void capture_allocation(const std::shared_ptr<Capture>&, cudaStream_t, void**, size_t) {
    not_simulated(kGraphs);
}
void capture_free(const std::shared_ptr<Capture>&, cudaStream_t, const void*) {
    not_simulated(kGraphs);
}
void record_captured_event(const std::shared_ptr<Capture>&, cudaStream_t, CapturedEvent&) {
    not_simulated(kGraphs);
}
void join_capture(cudaStream_t, const CapturedEvent&) {
    not_simulated(kGraphs);
}
void refuse_event_from_outside(const std::shared_ptr<Capture>&) {
    not_simulated(kGraphs);
}
void refuse_graph_launch(const std::shared_ptr<Capture>&) {
    not_simulated(kGraphs);
}
void refuse_captured_event(const CapturedEvent&) {
    not_simulated(kGraphs);
}

// ---- queries that every runtime call makes ----

std::shared_ptr<Capture> find_capture(cudaStream_t) {
    return nullptr;
}
void check_default_stream_order(cudaStream_t) {}
void check_capture_allows_call() {}
void check_not_captured(cudaStream_t stream) {
    check_stream(stream);
}
void check_nothing_captured() {}
void forget_capture(cudaStream_t) {}
void forget_graphs() {}
bool free_graph_memory(const void*) {
    return false;
}

}  // namespace coalesce::simulator::cudart
