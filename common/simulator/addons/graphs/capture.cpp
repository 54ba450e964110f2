// See capture.h.
#include "simulator/cudart/capture.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "simulator/addons/graphs/capture_state.h"

namespace coalesce::simulator::cudart {

thread_local cudaStreamCaptureMode thread_capture_mode = cudaStreamCaptureModeGlobal;

namespace {

/// Returns the table that maps each captured stream to its capture. The caller must hold the lock
/// of `Graphs`.
std::map<cudaStream_t, std::shared_ptr<Capture>>& captures_by_stream() {
    static auto& table = *new std::map<cudaStream_t, std::shared_ptr<Capture>>;
    return table;
}

[[noreturn]] void invalidate_capture(Capture& capture, cudaError_t error, const char* reason) {
    capture.is_valid = false;
    refuse(reason, error);
}

/// Returns all captures in progress, without duplicates.
std::set<std::shared_ptr<Capture>> all_captures() {
    std::set<std::shared_ptr<Capture>> captures;
    for (const auto& [stream, capture] : captures_by_stream()) captures.insert(capture);
    return captures;
}

bool forbids_unsafe_calls(const Capture& capture) {
    if (thread_capture_mode == cudaStreamCaptureModeRelaxed) return false;
    if (capture.thread == std::this_thread::get_id())
        return capture.mode != cudaStreamCaptureModeRelaxed;
    return thread_capture_mode == cudaStreamCaptureModeGlobal &&
           capture.mode == cudaStreamCaptureModeGlobal;
}

/// Returns the nodes in `dependencies`, and all nodes from which a path leads to a node in
/// `dependencies`.
std::set<const Node*> find_ancestors(const std::vector<Dependency>& dependencies) {
    std::set<const Node*> ancestors;
    std::vector<const Node*> unvisited;
    const auto add_ancestor = [&](const Dependency& d) {
        if (ancestors.insert(d.node).second) unvisited.push_back(d.node);
    };
    for (const Dependency& dependency : dependencies) add_ancestor(dependency);
    while (!unvisited.empty()) {
        const Node* node = unvisited.back();
        unvisited.pop_back();
        for (const Dependency& dependency : node->dependencies) add_ancestor(dependency);
    }
    return ancestors;
}

void end_participation(const Capture& capture) {
    std::erase_if(captures_by_stream(),
                  [&](const auto& entry) { return entry.second.get() == &capture; });
    --captures_in_progress;
}

}  // namespace

// ---- the streams of a capture ----

void merge_dependencies(std::vector<Dependency>& target, const std::vector<Dependency>& added) {
    for (const Dependency& dependency : added) {
        const bool is_new = std::none_of(
            target.begin(), target.end(),
            [&](const Dependency& existing) { return existing.node == dependency.node; });
        if (is_new) target.push_back(dependency);
    }
}

std::shared_ptr<Capture> find_capture(cudaStream_t stream) {
    if (!has_capture()) return nullptr;
    std::lock_guard lock(Graphs::instance().mutex);
    const auto found = captures_by_stream().find(stream);
    return found == captures_by_stream().end() ? nullptr : found->second;
}

void begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph,
                   std::vector<Dependency> first_dependencies) {
    static unsigned long long next_id = 1;
    require(mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed);
    if (is_legacy_default_stream(stream))
        refuse("the default stream cannot be captured; create a stream.",
               cudaErrorStreamCaptureUnsupported);
    std::lock_guard lock(Graphs::instance().mutex);
    if (find_capture(stream))
        refuse("the stream is already being captured.", cudaErrorIllegalState);
    auto capture = std::make_shared<Capture>();
    capture->creates_graph = !graph;
    capture->graph = graph ? std::move(graph) : std::make_shared<Graph>();
    capture->origin_stream = stream;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->id = next_id++;
    capture->stream_ends[stream] = std::move(first_dependencies);
    captures_by_stream()[stream] = std::move(capture);
    ++captures_in_progress;
}

void end_capture(cudaStream_t stream, cudaGraph_t* graph) {
    check_stream(stream);
    std::lock_guard lock(Graphs::instance().mutex);
    const auto capture = find_capture(stream);
    const bool is_graph_from_program = capture && !capture->creates_graph;
    require(graph || is_graph_from_program);
    if (graph) *graph = nullptr;
    if (!capture) refuse("the stream is not being captured.", cudaErrorIllegalState);
    if (capture->origin_stream != stream)
        invalidate_capture(*capture, cudaErrorStreamCaptureUnmatched,
                           "the capture began in a different stream.");
    end_participation(*capture);
    // Make these checks after `end`, because a failed check also ends the capture and discards its
    // nodes, as on an H100.
    require(capture->mode == cudaStreamCaptureModeRelaxed ||
                capture->thread == std::this_thread::get_id(),
            cudaErrorStreamCaptureWrongThread);
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    const std::set<const Node*> joined_nodes = find_ancestors(capture->stream_ends[stream]);
    for (const auto& [other, stream_ends] : capture->stream_ends) {
        for (const Dependency& branch_end : stream_ends) {
            if (joined_nodes.contains(branch_end.node)) continue;
            invalidate_capture(
                *capture, cudaErrorStreamCaptureUnjoined,
                "another stream took part in the capture, but the stream in which the "
                "capture began does not wait for it: record an event in the other stream, "
                "and make the first stream wait for this event before the capture ends.");
        }
    }
    if (graph)
        *graph = is_graph_from_program ? to_handle(capture->graph.get())
                                       : Graphs::instance().add_graph(capture->graph);
}

void forget_capture(cudaStream_t stream) {
    const auto capture = find_capture(stream);
    if (!capture) return;
    std::lock_guard lock(Graphs::instance().mutex);
    capture->is_valid = false;
    if (capture->origin_stream == stream)
        end_participation(*capture);
    else
        captures_by_stream().erase(stream);
}

void forget_captures() {
    std::lock_guard lock(Graphs::instance().mutex);
    for (const auto& capture : all_captures()) end_participation(*capture);
}

// ---- calls that are forbidden during a capture ----

/// Rejects a call that is forbidden while streams are being captured, and invalidates `captures`.
/// Does nothing if `captures` is empty.
template <class Captures>
static void invalidate_captures(const Captures& captures, cudaError_t error, const char* reason) {
    if (captures.empty()) return;
    for (const auto& capture : captures) capture->is_valid = false;
    refuse(reason, error);
}

void check_default_stream_order(cudaStream_t stream) {
    if (!has_capture() || !is_legacy_default_stream(stream)) return;
    std::lock_guard lock(Graphs::instance().mutex);
    std::set<std::shared_ptr<Capture>> disturbed_captures;
    for (const auto& [captured, capture] : captures_by_stream()) {
        if (waits_for_default_stream(captured)) disturbed_captures.insert(capture);
    }
    invalidate_captures(
        disturbed_captures, cudaErrorStreamCaptureImplicit,
        "the call uses the default stream, which would make a captured stream wait; capture only "
        "streams made with cudaStreamNonBlocking, or make the call before or after the capture.");
}

void check_capture_allows_call() {
    if (!has_capture()) return;
    std::lock_guard lock(Graphs::instance().mutex);
    std::set<std::shared_ptr<Capture>> disturbed_captures = all_captures();
    std::erase_if(disturbed_captures,
                  [](const auto& capture) { return !forbids_unsafe_calls(*capture); });
    invalidate_captures(
        disturbed_captures, cudaErrorStreamCaptureUnsupported,
        "the call is not allowed while a stream is being captured; make it before or "
        "after the capture, or capture with cudaStreamCaptureModeRelaxed.");
}

void check_not_captured(cudaStream_t stream) {
    check_stream(stream);
    check_default_stream_order(stream);
    if (const auto capture = find_capture(stream))
        invalidate_capture(*capture, cudaErrorStreamCaptureUnsupported,
                           "the stream is being captured, so none of its work has run yet.");
    check_capture_allows_call();
}

void check_nothing_captured() {
    if (!has_capture()) return;
    std::lock_guard lock(Graphs::instance().mutex);
    invalidate_captures(all_captures(), cudaErrorStreamCaptureUnsupported,
                        "a stream is being captured, so none of its work has run yet.");
}

// ---- adding nodes ----

void invalidate_on_failure(Capture& capture, const std::function<void()>& make) {
    try {
        make();
    } catch (const Failure&) {
        capture.is_valid = false;
        throw;
    }
}

void capture_work(const std::shared_ptr<Capture>& capture, cudaStream_t stream, Work work) {
    std::lock_guard lock(Graphs::instance().mutex);
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    invalidate_on_failure(*capture, [&] { check_work(work); });
    std::vector<Dependency>& stream_ends = capture->stream_ends[stream];
    Node& node = capture->graph->add(std::move(work), stream_ends);
    stream_ends = {{&node, {}}};
}

void record_captured_event(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                           CapturedEvent& event) {
    std::lock_guard lock(Graphs::instance().mutex);
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    event = {capture, capture->stream_ends[stream]};
}

void wait_for_captured_event(cudaStream_t stream, const CapturedEvent& event) {
    std::lock_guard lock(Graphs::instance().mutex);
    const auto capture = event.capture.lock();
    if (!capture || find_capture(capture->origin_stream) != capture)
        refuse("the event was recorded while its stream was being captured, so it never completes.",
               cudaErrorCapturedEvent);
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    if (is_legacy_default_stream(stream))
        invalidate_capture(*capture, cudaErrorStreamCaptureImplicit,
                           "the default stream cannot take part in a capture.");
    const auto stream_capture = find_capture(stream);
    if (stream_capture && stream_capture != capture) {
        stream_capture->is_valid = false;
        invalidate_capture(
            *capture, cudaErrorStreamCaptureMerge,
            "the stream and the event belong to different captures, which cannot be joined.");
    }
    captures_by_stream()[stream] = capture;
    merge_dependencies(capture->stream_ends[stream], event.nodes);
}

void refuse_uncaptured_event(const std::shared_ptr<Capture>& capture) {
    invalidate_capture(
        *capture, cudaErrorStreamCaptureIsolation,
        "a captured stream cannot wait for an event that was recorded outside of the "
        "capture; wait before the capture begins, or use cudaEventWaitExternal.");
}

void refuse_graph_launch(const std::shared_ptr<Capture>& capture) {
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    invalidate_capture(
        *capture, cudaErrorStreamCaptureUnsupported,
        "a graph cannot be launched into a captured stream; add it to the captured graph as "
        "a child node (cudaStreamGetCaptureInfo, cudaGraphAddChildGraphNode, "
        "cudaStreamUpdateCaptureDependencies).");
}

void refuse_captured_event(const CapturedEvent& event) {
    if (const auto capture = event.capture.lock()) capture->is_valid = false;
    refuse("the event was recorded while its stream was being captured, so it never completes.",
           cudaErrorCapturedEvent);
}

}  // namespace coalesce::simulator::cudart
