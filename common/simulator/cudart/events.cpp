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
    bool has_timing = true;
    bool is_recorded = false;
    int device = 0;
    Clock::time_point recording_time = {};
    /// Set if the event was last recorded in a captured stream.
    std::optional<CapturedEvent> captured_event = {};
};

using Events = HandleTable<cudaEvent_t, Event>;

Events& events() {
    static Events& instance = *new Events;
    return instance;
}

Event& find_event(cudaEvent_t handle) {
    Event* event = events().find(handle);
    if (!event)
        refuse("the event was destroyed, or never created.", cudaErrorInvalidResourceHandle);
    return *event;
}

void create_event(cudaEvent_t* event, unsigned flags) {
    constexpr unsigned known_flags =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    require(event && !(flags & ~known_flags));
    if (flags & cudaEventInterprocess) {
        require(flags & cudaEventDisableTiming);
        fail_not_simulated("an event shared with other processes");
    }
    *event =
        events().add({.has_timing = !(flags & cudaEventDisableTiming), .device = current_device()});
}

/// Records the event. If `is_external` is set, the event becomes a node of the captured graph and
/// is recorded when the graph runs.
void record_event(cudaEvent_t handle, cudaStream_t stream, bool is_external) {
    Event& event = find_event(handle);
    check_stream(stream);
    if (event.device != find_device_of_stream(stream))
        refuse("the event was created for device " + std::to_string(event.device) +
                   ", but the stream belongs to device " +
                   std::to_string(find_device_of_stream(stream)) + ".",
               cudaErrorInvalidResourceHandle);
    check_default_stream_order(stream);
    const auto capture = find_capture(stream);
    require(capture || !is_external);
    if (is_external)
        capture_work(capture, stream, RecordWork{handle});
    else if (capture)
        record_captured_event(capture, stream, event.captured_event.emplace());
    else
        record_immediately(handle);
    if (!capture) order_event_after_stream(handle, stream);
}

void wait_for_event(cudaStream_t stream, cudaEvent_t handle, bool is_external) {
    const Event& event = find_event(handle);
    check_stream(stream);
    if (event.captured_event && !is_external)
        return wait_for_captured_event(stream, *event.captured_event);
    check_default_stream_order(stream);
    const auto capture = find_capture(stream);
    require(capture || !is_external);
    if (is_external)
        capture_work(capture, stream, WaitWork{handle});
    else if (capture)
        refuse_uncaptured_event(capture);
    else
        order_stream_after_event(stream, handle);
}

/// Checks that an event may be queried or waited for. All events are already complete, so there is
/// nothing to wait for.
void check_event_for_query(cudaEvent_t handle) {
    const Event& event = find_event(handle);
    if (event.captured_event) refuse_captured_event(*event.captured_event);
    check_capture_allows_call();
    record_host_wait_for_event(handle);
}

void store_elapsed_time(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t end_handle) {
    const Event* start_event = events().find(start_handle);
    const Event* end_event = events().find(end_handle);
    require(milliseconds);
    require(start_event && end_event && start_event->is_recorded && end_event->is_recorded &&
                start_event->has_timing && end_event->has_timing,
            cudaErrorInvalidResourceHandle);
    require(!start_event->captured_event && !end_event->captured_event, cudaErrorCapturedEvent);
    *milliseconds = std::chrono::duration<float, std::milli>(end_event->recording_time -
                                                             start_event->recording_time)
                        .count();
}

}  // namespace

namespace coalesce::simulator::cudart {

void check_event(cudaEvent_t event) {
    find_event(event);
}

void record_immediately(cudaEvent_t handle) {
    Event& event = find_event(handle);
    event.is_recorded = true;
    event.captured_event.reset();
    event.recording_time = Clock::now();
}

void forget_events() {
    events().clear();
}

}  // namespace coalesce::simulator::cudart

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return run_device_call(__func__, [&] { create_event(event, cudaEventDefault); });
}

COALESCE_BY(run_device_call, cudaEventCreateWithFlags, create_event, 2);

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return run_device_call(
        __func__, [&] { require(events().destroy(event), cudaErrorInvalidResourceHandle); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return run_device_call(__func__, [&] { record_event(event, stream, false); });
}
COALESCE_PER_THREAD_STREAM(cudaEventRecord, _ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return run_device_call(__func__, [&] {
        check_event(event);
        require(flags <= cudaEventRecordExternal);
        record_event(event, stream, flags != 0);
    });
}
COALESCE_PER_THREAD_STREAM(cudaEventRecordWithFlags, _ptsz);

COALESCE_BY(run_device_call, cudaEventQuery, check_event_for_query, 1);
COALESCE_BY(run_device_call, cudaEventSynchronize, check_event_for_query, 1);
COALESCE_BY(run_device_call, cudaEventElapsedTime, store_elapsed_time, 3);

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return run_device_call(__func__, [&] {
        check_event(event);
        require(flags <= cudaEventWaitExternal);
        wait_for_event(stream, event, flags != 0);
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamWaitEvent, _ptsz);
