// Declares stream capture, in which the work queued in a captured stream becomes the nodes of a
// graph.
//
// Theory of operation
//   A capture starts in one stream, its origin. The capture stores, for each stream, the nodes that
//   the stream's next node must wait for. An event recorded in the stream stores the same nodes. If
//   a second stream waits for the event, the second stream takes part in the capture from then on
//   (a fork). If the first stream then waits for an event of the second stream, its next node
//   depends on the nodes of both streams (a join). When the capture ends, every node must lead to
//   the last nodes of the origin.
//   During a capture, some calls are forbidden: they fail and invalidate the capture. Examples are
//   a query of captured work, which has not run yet, and a call that makes a captured stream wait
//   for the default stream. Depending on the mode of the capture, cudaMalloc and similar calls are
//   forbidden, too.
//   addons/graphs defines the functions that are declared here. A build without addons uses the
//   definitions in addons/absent/, in which no stream is ever captured.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "simulator/cudart/api.h"
#include "simulator/cudart/stream_order.h"
#include "simulator/cudart/streams.h"
#include "simulator/cudart/work.h"

namespace coalesce::simulator::cudart {

struct Capture;
struct Node;

/// A dependency of a graph node: another node that must complete first, and the data of the edge
/// between the two nodes. The data affects only speed.
struct Dependency {
    Node* node = nullptr;
    cudaGraphEdgeData data{};
};

/// The number of captures in progress. API calls search for a capture only if this number is not 0.
/// It is nearly always 0.
extern std::atomic<int> captures_in_progress;

inline bool has_capture() {
    return captures_in_progress.load(std::memory_order_relaxed) > 0;
}

/// Returns the stream's capture, which may be invalid, or null if the stream is not being captured.
std::shared_ptr<Capture> find_capture(cudaStream_t stream);

/// Fails if work in this stream would make a captured stream wait for the default stream.
void check_default_stream_order(cudaStream_t stream);

/// Fails if a capture in progress forbids the current API call. Called by functions that may wait
/// or change the device.
void check_capture_allows_call();

/// Fails if the stream is being captured. Called by functions that wait for a stream or query it.
void check_not_captured(cudaStream_t stream);

/// Fails if any stream is being captured. Called by functions that wait for all streams.
void check_nothing_captured();

/// Calls `make_node`. If `make_node` fails, invalidates the capture and fails with the same error.
void invalidate_on_failure(Capture& capture, const std::function<void()>& make_node);

/// Adds a node for work in a captured stream.
void capture_work(const std::shared_ptr<Capture>& capture, cudaStream_t stream, Work work);

/// Executes the work immediately, or adds it to the capture if the stream is being captured.
void execute_or_capture(cudaStream_t stream, Work work);

/// capture_allocation adds an allocation node to the captured graph and stores the address of the
/// memory in `*pointer`. capture_free adds a free node.
void capture_allocation(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                        void** pointer, size_t bytes);
void capture_free(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                  const void* pointer);

/// Removes a stream from its capture, because the stream is being destroyed. Ends the capture if it
/// started in the stream.
void forget_capture(cudaStream_t stream);

// ---- events ----

/// The position in a capture at which an event was recorded last.
struct CapturedEvent {
    std::weak_ptr<Capture> capture;
    std::vector<Dependency> nodes;
};

/// Records an event in a captured stream.
void record_captured_event(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                           CapturedEvent& event);

/// Makes `stream` wait for an event that was recorded in a captured stream. From then on, `stream`
/// takes part in the capture.
void wait_for_captured_event(cudaStream_t stream, const CapturedEvent& event);

/// Refuses a call that makes a captured stream wait for an event that was not captured.
[[noreturn]] void refuse_uncaptured_event(const std::shared_ptr<Capture>& capture);

/// Refuses a call that launches a graph into a stream that is being captured.
[[noreturn]] void refuse_graph_launch(const std::shared_ptr<Capture>& capture);

/// Refuses a call that queries a captured event.
[[noreturn]] void refuse_captured_event(const CapturedEvent& event);

// ---- wrappers for the bodies of calls ----

/// Runs a call that queues work in a stream. `describe(arguments...)` returns the work.
template <class Describe, class... Arguments>
cudaError_t queue_in_stream(const char* name, cudaStream_t stream, Describe describe,
                            const Arguments&... arguments) noexcept {
    return run_stream_call(name, stream,
                           [&] { execute_or_capture(stream, describe(arguments...)); });
}

/// Runs an API call that waits for the device or changes the device's state.
template <class Body, class... Arguments>
cudaError_t run_capture_unsafe_call(const char* name, Body body,
                                    const Arguments&... arguments) noexcept {
    return run_device_call(name, [&] {
        check_capture_allows_call();
        body(arguments...);
    });
}

/// Runs a call that queues work in the default stream and waits until the work is complete.
/// `describe(arguments...)` returns the work.
template <class Describe, class... Arguments>
cudaError_t execute_now(const char* name, Describe describe,
                        const Arguments&... arguments) noexcept {
    return run_device_call(name, [&] {
        check_default_stream_order(nullptr);
        check_capture_allows_call();
        const StreamWork work(nullptr);
        execute_work(describe(arguments...));
        StreamWork::record_host_wait();
    });
}

}  // namespace coalesce::simulator::cudart

/// Defines the function `call`, which has the `count` parameters of `describe`. `call` immediately
/// executes the work that `describe` returns.
#define COALESCE_AT_ONCE(call, describe, count)      \
    COALESCE_BY(execute_now, call, describe, count); \
    COALESCE_PER_THREAD_STREAM(call, _ptds)
/// Like COALESCE_AT_ONCE, but also defines the variant of `call` that takes a stream.
#define COALESCE_AT_ONCE_AND_IN_STREAM(call, describe, count)                             \
    COALESCE_AT_ONCE(call, describe, count);                                              \
    cudaError_t call##Async(COALESCE_PARAMETERS_##count(describe), cudaStream_t stream) { \
        return queue_in_stream(__func__, stream, describe COALESCE_ARGUMENTS_##count);    \
    }                                                                                     \
    COALESCE_PER_THREAD_STREAM(call##Async, _ptsz)
