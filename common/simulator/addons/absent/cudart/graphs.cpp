// Replaces addons/graphs in a build without addons. Such a build has no graphs, and never captures
// a stream.
#include "simulator/cudart/addons.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/capture.h"

namespace coalesce::simulator::cudart {

// ---- functions that need a graph ----

static constexpr const char* kGraphs = "a graph in a build without addons";

void execute_node(const ChildWork&) {
    fail_not_simulated(kGraphs);
}
void execute_node(const AllocateWork&) {
    fail_not_simulated(kGraphs);
}
void execute_node(const FreeWork&) {
    fail_not_simulated(kGraphs);
}
void execute_node(const ConditionalWork&) {
    fail_not_simulated(kGraphs);
}
void invalidate_on_failure(Capture&, const std::function<void()>&) {
    fail_not_simulated(kGraphs);
}
void capture_work(const std::shared_ptr<Capture>&, cudaStream_t, Work) {
    fail_not_simulated(kGraphs);
}
void capture_allocation(const std::shared_ptr<Capture>&, cudaStream_t, void**, size_t) {
    fail_not_simulated(kGraphs);
}
void capture_free(const std::shared_ptr<Capture>&, cudaStream_t, const void*) {
    fail_not_simulated(kGraphs);
}
void record_captured_event(const std::shared_ptr<Capture>&, cudaStream_t, CapturedEvent&) {
    fail_not_simulated(kGraphs);
}
void wait_for_captured_event(cudaStream_t, const CapturedEvent&) {
    fail_not_simulated(kGraphs);
}
void refuse_uncaptured_event(const std::shared_ptr<Capture>&) {
    fail_not_simulated(kGraphs);
}
void refuse_graph_launch(const std::shared_ptr<Capture>&) {
    fail_not_simulated(kGraphs);
}
void refuse_captured_event(const CapturedEvent&) {
    fail_not_simulated(kGraphs);
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
