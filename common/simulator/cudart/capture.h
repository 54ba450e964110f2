// Streams that are being captured: what is put in them becomes nodes of a graph.
//
// Theory of operation
//   A capture begins in one stream. The stream remembers the nodes that its next one has to wait for. An
//   event that is recorded in it remembers the same; a second stream that waits for this event takes part
//   from then on (a fork), and a stream that waits for an event of the second one depends on both (a
//   join). When the capture ends, in the stream in which it began, every node must lead there.
//   While a capture is under way, some calls cannot be made: those that ask how far captured work has come
//   (there is none yet), those that would order a captured stream after the default stream, and, as the
//   mode of the capture says, those that may do either behind the scenes, such as cudaMalloc. Such a call
//   fails, and the capture is no longer valid.
//   addons/graphs has the functions that are declared here; a build without addons takes addons/absent/ in their
//   place, where no stream is ever captured.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "simulator/cudart/api.h"
#include "simulator/cudart/streams.h"
#include "simulator/cudart/work.h"

namespace coalesce::simulator::cudart {

struct Capture;
struct Node;

/// What a node waits for. All edge data but zeros are wishes about speed.
struct Dependency {
    Node* node = nullptr;
    cudaGraphEdgeData data{};
};

/// How many captures are under way. Calls look here first: nearly always none is.
extern std::atomic<int> captures_under_way;

inline bool any_capture() {
    return captures_under_way.load(std::memory_order_relaxed) > 0;
}

/// The capture that the stream takes part in, valid or not; null: none.
std::shared_ptr<Capture> capture_of(cudaStream_t stream);

/// Fails where work cannot be put in the stream or captured from it: while a capture would be ordered after the
/// default stream.
void check_order(cudaStream_t stream);

/// For calls that may wait or change the device: refused while a capture forbids them.
void check_safe();

/// For calls that wait for a stream or ask about it.
void check_not_captured(cudaStream_t stream);

/// For calls that wait for all streams.
void check_nothing_captured();

/// Makes what is to be captured: if `make` fails the capture is no longer valid.
void for_capture(Capture& capture, const std::function<void()>& make);

/// Adds a node for what is put in a captured stream.
void capture_work(const std::shared_ptr<Capture>& capture, cudaStream_t stream, Work work);

/// Puts work in a stream: it is done now, or captured.
void put(cudaStream_t stream, Work work);

/// In a captured stream it is a graph that allocates and frees.
void capture_allocation(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                        void** pointer, size_t bytes);
void capture_free(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                  const void* pointer);

/// The stream is gone, and with it what it was to be captured into.
void forget_capture(cudaStream_t stream);

// ---- events ----

/// The place in a capture at which an event was recorded last.
struct CapturedEvent {
    std::weak_ptr<Capture> capture;
    std::vector<Dependency> nodes;
};

/// An event is recorded in a captured stream.
void record_captured(const std::shared_ptr<Capture>& capture, cudaStream_t stream,
                     CapturedEvent& event);

/// `stream` waits for an event that was recorded in a captured stream.
void join_capture(cudaStream_t stream, const CapturedEvent& event);

/// `stream`, which is being captured, waits for an event that was not.
[[noreturn]] void refuse_event_from_outside(const std::shared_ptr<Capture>& capture);

/// A graph was launched into a stream that is being captured.
[[noreturn]] void refuse_graph_launch(const std::shared_ptr<Capture>& capture);

/// A captured event was asked whether it is complete.
[[noreturn]] void refuse_captured_event(const CapturedEvent& event);

// ---- what surrounds the body of a call ----

/// A call that puts work in a stream. `describe(arguments...)` says what.
template <class Describe, class... Arguments>
cudaError_t in_stream(const char* name, cudaStream_t stream, Describe describe,
                      const Arguments&... arguments) noexcept {
    return on_stream(name, stream, [&] { put(stream, describe(arguments...)); });
}

/// A call that waits for the device or changes what it has.
template <class Body, class... Arguments>
cudaError_t unsafe_api(const char* name, Body body, const Arguments&... arguments) noexcept {
    return api(name, [&] {
        check_safe();
        body(arguments...);
    });
}

/// A call that does its work in the default stream and waits for it: the counterpart of in_stream.
template <class Describe, class... Arguments>
cudaError_t at_once(const char* name, Describe describe, const Arguments&... arguments) noexcept {
    return api(name, [&] {
        check_order(nullptr);
        check_safe();
        note_stream_work(nullptr);
        carry_out(describe(arguments...));
    });
}

}  // namespace coalesce::simulator::cudart

/// `call` takes what `describe` takes, `count` parameters, and does at once what that describes.
#define COALESCE_AT_ONCE(call, describe, count)  \
    COALESCE_BY(at_once, call, describe, count); \
    COALESCE_PER_THREAD_STREAM(call, _ptds)
/// ... and so does its twin, in a stream.
#define COALESCE_AT_ONCE_AND_IN_STREAM(call, describe, count)                             \
    COALESCE_AT_ONCE(call, describe, count);                                              \
    cudaError_t call##Async(COALESCE_PARAMETERS_##count(describe), cudaStream_t stream) { \
        return in_stream(__func__, stream, describe COALESCE_ARGUMENTS_##count);          \
    }                                                                                     \
    COALESCE_PER_THREAD_STREAM(call##Async, _ptsz)
