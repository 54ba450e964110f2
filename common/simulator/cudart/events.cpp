// Implements events. An event completes as soon as it is recorded. The time between two events is
// the time that the host takes to simulate the work between them. It says nothing about the time on
// a GPU.
#include <chrono>
#include <optional>

#include "simulator/cudart/capture.h"
#include "simulator/cudart/devices.h"
#include "simulator/cudart/handles.h"
#include "simulator/cudart/stream_order.h"

using namespace coalesce::simulator::cudart;

namespace {

using Clock = std::chrono::steady_clock;

struct Event {
    bool timed = true;
    bool recorded = false;
    int device = 0;
    Clock::time_point at = {};
    /// set if the event was last recorded in a captured stream
    std::optional<CapturedEvent> captured = {};
};

using Events = Handles<cudaEvent_t, Event>;

Events& events() {
    static Events& all = *new Events;
    return all;
}

Event& find_event(cudaEvent_t handle) {
    Event* event = events().find(handle);
    if (!event)
        refuse("the event was destroyed, or never created.", cudaErrorInvalidResourceHandle);
    return *event;
}

void create_event(cudaEvent_t* event, unsigned flags) {
    constexpr unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    require(event && !(flags & ~known));
    if (flags & cudaEventInterprocess) {
        require(flags & cudaEventDisableTiming);
        not_simulated("an event shared with other processes");
    }
    *event = events().add({.timed = !(flags & cudaEventDisableTiming), .device = current_device()});
}

/// Records the event. If `external` is set, the event becomes a node of the captured graph and is
/// recorded when the graph runs.
void record(cudaEvent_t handle, cudaStream_t stream, bool external) {
    Event& event = find_event(handle);
    check_stream(stream);
    if (event.device != device_of(stream))
        refuse("the event was created for device " + std::to_string(event.device) +
                   ", but the stream belongs to device " + std::to_string(device_of(stream)) + ".",
               cudaErrorInvalidResourceHandle);
    check_default_stream_order(stream);
    const auto capture = find_capture(stream);
    require(capture || !external);
    if (external)
        capture_work(capture, stream, RecordWork{handle});
    else if (capture)
        record_captured_event(capture, stream, event.captured.emplace());
    else
        record_now(handle);
    if (!capture) note_event_recorded(handle, stream);
}

void wait(cudaStream_t stream, cudaEvent_t handle, bool external) {
    const Event& event = find_event(handle);
    check_stream(stream);
    if (event.captured && !external) return join_capture(stream, *event.captured);
    check_default_stream_order(stream);
    const auto capture = find_capture(stream);
    require(capture || !external);
    if (external)
        capture_work(capture, stream, WaitWork{handle});
    else if (capture)
        refuse_event_from_outside(capture);
    else
        note_stream_waits(stream, handle);
}

/// Checks that an event may be queried or waited for. All events are already complete, so there is
/// nothing to wait for.
void check_event_for_query(cudaEvent_t handle) {
    const Event& event = find_event(handle);
    if (event.captured) refuse_captured_event(*event.captured);
    check_capture_allows_call();
    note_host_waited_for_event(handle);
}

void store_elapsed_time(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    const Event* from = events().find(start);
    const Event* to = events().find(end);
    require(milliseconds);
    require(from && to && from->recorded && to->recorded && from->timed && to->timed,
            cudaErrorInvalidResourceHandle);
    require(!from->captured && !to->captured, cudaErrorCapturedEvent);
    *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
}

}  // namespace

namespace coalesce::simulator::cudart {

void check_event(cudaEvent_t event) {
    find_event(event);
}

void record_now(cudaEvent_t handle) {
    Event& event = find_event(handle);
    event.recorded = true;
    event.captured.reset();
    event.at = Clock::now();
}

void forget_events() {
    events().clear();
}

}  // namespace coalesce::simulator::cudart

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return api(__func__, [&] { create_event(event, cudaEventDefault); });
}

COALESCE_BY(api, cudaEventCreateWithFlags, create_event, 2);

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return api(__func__, [&] { require(events().destroy(event), cudaErrorInvalidResourceHandle); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return api(__func__, [&] { record(event, stream, false); });
}
COALESCE_PER_THREAD_STREAM(cudaEventRecord, _ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return api(__func__, [&] {
        check_event(event);
        require(flags <= cudaEventRecordExternal);
        record(event, stream, flags != 0);
    });
}
COALESCE_PER_THREAD_STREAM(cudaEventRecordWithFlags, _ptsz);

COALESCE_BY(api, cudaEventQuery, check_event_for_query, 1);
COALESCE_BY(api, cudaEventSynchronize, check_event_for_query, 1);
COALESCE_BY(api, cudaEventElapsedTime, store_elapsed_time, 3);

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return api(__func__, [&] {
        check_event(event);
        require(flags <= cudaEventWaitExternal);
        wait(stream, event, flags != 0);
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamWaitEvent, _ptsz);
