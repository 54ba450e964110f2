// See capture.h.
#include "simulator/cudart/capture.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "simulator/addons/graphs/capture_state.h"

namespace coalesce::simulator::cudart {

thread_local cudaStreamCaptureMode capture_mode_of_thread = cudaStreamCaptureModeGlobal;

namespace {

/// Returns the table that maps each captured stream to its capture. The caller must hold the lock
/// of `Graphs`.
std::map<cudaStream_t, std::shared_ptr<Capture>>& participants() {
    static auto& table = *new std::map<cudaStream_t, std::shared_ptr<Capture>>;
    return table;
}

[[noreturn]] void invalidate(Capture& capture, cudaError_t error, const char* why) {
    capture.is_valid = false;
    refuse(why, error);
}

/// Returns all captures in progress, without duplicates.
std::set<std::shared_ptr<Capture>> all_captures() {
    std::set<std::shared_ptr<Capture>> captures;
    for (const auto& [stream, capture] : participants()) captures.insert(capture);
    return captures;
}

bool forbids_unsafe_calls(const Capture& capture) {
    if (capture_mode_of_thread == cudaStreamCaptureModeRelaxed) return false;
    if (capture.thread == std::this_thread::get_id())
        return capture.mode != cudaStreamCaptureModeRelaxed;
    return capture_mode_of_thread == cudaStreamCaptureModeGlobal &&
           capture.mode == cudaStreamCaptureModeGlobal;
}

/// Returns the nodes in `to`, and all nodes from which a path leads to a node in `to`.
std::set<const Node*> find_ancestors(const std::vector<Dependency>& to) {
    std::set<const Node*> found;
    std::vector<const Node*> next;
    const auto visit = [&](const Dependency& d) {
        if (found.insert(d.node).second) next.push_back(d.node);
    };
    for (const Dependency& dependency : to) visit(dependency);
    while (!next.empty()) {
        const Node* node = next.back();
        next.pop_back();
        for (const Dependency& dependency : node->dependencies) visit(dependency);
    }
    return found;
}

void end(const Capture& capture) {
    std::erase_if(participants(),
                  [&](const auto& entry) { return entry.second.get() == &capture; });
    --captures_in_progress;
}

}  // namespace

// ---- the streams of a capture ----

void merge(std::vector<Dependency>& into, const std::vector<Dependency>& from) {
    for (const Dependency& dependency : from) {
        const bool is_new = std::none_of(into.begin(), into.end(), [&](const Dependency& known) {
            return known.node == dependency.node;
        });
        if (is_new) into.push_back(dependency);
    }
}

std::shared_ptr<Capture> find_capture(cudaStream_t stream) {
    if (!any_capture()) return nullptr;
    std::lock_guard lock(Graphs::instance().mutex);
    const auto found = participants().find(stream);
    return found == participants().end() ? nullptr : found->second;
}

void begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph,
                   std::vector<Dependency> after) {
    static unsigned long long next_id = 1;
    require(mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed);
    if (is_legacy(stream))
        refuse("the default stream cannot be captured; create a stream.",
               cudaErrorStreamCaptureUnsupported);
    std::lock_guard lock(Graphs::instance().mutex);
    if (find_capture(stream))
        refuse("the stream is already being captured.", cudaErrorIllegalState);
    auto capture = std::make_shared<Capture>();
    capture->creates_graph = !graph;
    capture->graph = graph ? std::move(graph) : std::make_shared<Graph>();
    capture->origin = stream;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->id = next_id++;
    capture->ends[stream] = std::move(after);
    participants()[stream] = std::move(capture);
    ++captures_in_progress;
}

void end_capture(cudaStream_t stream, cudaGraph_t* graph) {
    check_stream(stream);
    std::lock_guard lock(Graphs::instance().mutex);
    const auto capture = find_capture(stream);
    const bool gave_graph = capture && !capture->creates_graph;
    require(graph || gave_graph);
    if (graph) *graph = nullptr;
    if (!capture) refuse("the stream is not being captured.", cudaErrorIllegalState);
    if (capture->origin != stream)
        invalidate(*capture, cudaErrorStreamCaptureUnmatched,
                   "the capture began in a different stream.");
    end(*capture);
    // Make these checks after `end`, because a failed check also ends the capture and discards its
    // nodes, as on an H100.
    require(capture->mode == cudaStreamCaptureModeRelaxed ||
                capture->thread == std::this_thread::get_id(),
            cudaErrorStreamCaptureWrongThread);
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    const std::set<const Node*> joined = find_ancestors(capture->ends[stream]);
    for (const auto& [other, ends] : capture->ends) {
        for (const Dependency& last : ends) {
            if (joined.contains(last.node)) continue;
            invalidate(*capture, cudaErrorStreamCaptureUnjoined,
                       "another stream took part in the capture, but the stream in which the "
                       "capture began does not wait for it: record an event in the other stream, "
                       "and make the first stream wait for this event before the capture ends.");
        }
    }
    if (graph)
        *graph =
            gave_graph ? to_handle(capture->graph.get()) : Graphs::instance().keep(capture->graph);
}

void forget_capture(cudaStream_t stream) {
    const auto capture = find_capture(stream);
    if (!capture) return;
    std::lock_guard lock(Graphs::instance().mutex);
    capture->is_valid = false;
    if (capture->origin == stream)
        end(*capture);
    else
        participants().erase(stream);
}

void forget_captures() {
    std::lock_guard lock(Graphs::instance().mutex);
    for (const auto& capture : all_captures()) end(*capture);
}

// ---- calls that are forbidden during a capture ----

/// Rejects a call that is forbidden while streams are being captured, and invalidates `captures`.
/// Does nothing if `captures` is empty.
template <class Captures>
static void invalidate_all(const Captures& captures, cudaError_t error, const char* why) {
    if (captures.empty()) return;
    for (const auto& capture : captures) capture->is_valid = false;
    refuse(why, error);
}

void check_default_stream_order(cudaStream_t stream) {
    if (!any_capture() || !is_legacy(stream)) return;
    std::lock_guard lock(Graphs::instance().mutex);
    std::set<std::shared_ptr<Capture>> disturbed;
    for (const auto& [captured, capture] : participants()) {
        if (waits_for_default_stream(captured)) disturbed.insert(capture);
    }
    invalidate_all(
        disturbed, cudaErrorStreamCaptureImplicit,
        "the call uses the default stream, which would make a captured stream wait; capture only "
        "streams made with cudaStreamNonBlocking, or make the call before or after the capture.");
}

void check_capture_allows_call() {
    if (!any_capture()) return;
    std::lock_guard lock(Graphs::instance().mutex);
    std::set<std::shared_ptr<Capture>> disturbed = all_captures();
    std::erase_if(disturbed, [](const auto& capture) { return !forbids_unsafe_calls(*capture); });
    invalidate_all(disturbed, cudaErrorStreamCaptureUnsupported,
                   "the call is not allowed while a stream is being captured; make it before or "
                   "after the capture, or capture with cudaStreamCaptureModeRelaxed.");
}

void check_not_captured(cudaStream_t stream) {
    check_stream(stream);
    check_default_stream_order(stream);
    if (const auto capture = find_capture(stream))
        invalidate(*capture, cudaErrorStreamCaptureUnsupported,
                   "the stream is being captured, so none of its work has run yet.");
    check_capture_allows_call();
}

void check_nothing_captured() {
    if (!any_capture()) return;
    std::lock_guard lock(Graphs::instance().mutex);
    invalidate_all(all_captures(), cudaErrorStreamCaptureUnsupported,
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
    invalidate_on_failure(*capture, [&] { check(work); });
    std::vector<Dependency>& ends = capture->ends[stream];
    Node& node = capture->graph->add(std::move(work), ends);
    ends = {{&node, {}}};
}

void record_captured_event(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                           CapturedEvent& event) {
    std::lock_guard lock(Graphs::instance().mutex);
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    event = {capture, capture->ends[stream]};
}

void join_capture(cudaStream_t stream, const CapturedEvent& event) {
    std::lock_guard lock(Graphs::instance().mutex);
    const auto capture = event.capture.lock();
    if (!capture || find_capture(capture->origin) != capture)
        refuse("the event was recorded while its stream was being captured, so it never completes.",
               cudaErrorCapturedEvent);
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    if (is_legacy(stream))
        invalidate(*capture, cudaErrorStreamCaptureImplicit,
                   "the default stream cannot take part in a capture.");
    const auto own = find_capture(stream);
    if (own && own != capture) {
        own->is_valid = false;
        invalidate(
            *capture, cudaErrorStreamCaptureMerge,
            "the stream and the event belong to different captures, which cannot be joined.");
    }
    participants()[stream] = capture;
    merge(capture->ends[stream], event.nodes);
}

void refuse_event_from_outside(const std::shared_ptr<Capture>& capture) {
    invalidate(*capture, cudaErrorStreamCaptureIsolation,
               "a captured stream cannot wait for an event that was recorded outside of the "
               "capture; wait before the capture begins, or use cudaEventWaitExternal.");
}

void refuse_graph_launch(const std::shared_ptr<Capture>& capture) {
    require(capture->is_valid, cudaErrorStreamCaptureInvalidated);
    invalidate(*capture, cudaErrorStreamCaptureUnsupported,
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
