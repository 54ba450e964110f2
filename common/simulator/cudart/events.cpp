// Events. An event is complete as soon as it is recorded. The time between two of them is the time
// that the host took to simulate what lies between: it says nothing of a GPU.
#include <chrono>
#include <optional>

#include "cudart/capture.h"
#include "cudart/handles.h"

using namespace coalesce::sim::cudart;

namespace {

using Clock = std::chrono::steady_clock;

struct Event {
    bool timed = true;
    bool recorded = false;
    Clock::time_point at = {};
    std::optional<CapturedEvent> captured = {};  ///< recorded last in a captured stream
};

using Events = Handles<cudaEvent_t, Event>;

Events& events() {
    static Events& all = *new Events;
    return all;
}

template <class Body>
cudaError_t with_event(const char* name, cudaEvent_t handle, Body body) {
    return api(name, [&] {
        if (const cudaError_t error = check_event(handle)) return error;
        return body(*events().find(handle));
    });
}

cudaError_t create(cudaEvent_t* event, unsigned flags) {
    constexpr unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || (flags & ~known)) return cudaErrorInvalidValue;
    if (flags & cudaEventInterprocess) {
        if (!(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
        return not_simulated("an event that other processes share");
    }
    *event = events().add({.timed = !(flags & cudaEventDisableTiming)});
    return cudaSuccess;
}

void record_now(Event& event) {
    event.recorded = true;
    event.captured.reset();
    event.at = Clock::now();
}

/// `external`: in a captured stream, the graph is to record the event when it runs.
cudaError_t record(cudaEvent_t handle, Event& event, cudaStream_t stream, bool external) {
    cudaError_t error = check_stream(stream);
    if (error == cudaSuccess) error = check_order(stream);
    if (error != cudaSuccess) return error;
    const auto capture = capture_of(stream);
    if (external) {
        return capture ? capture_work(capture, stream, RecordWork{handle}) : cudaErrorInvalidValue;
    }
    if (capture) return record_captured(capture, stream, event.captured.emplace());
    record_now(event);
    return cudaSuccess;
}

cudaError_t wait(cudaStream_t stream, cudaEvent_t handle, const Event& event, bool external) {
    cudaError_t error = check_stream(stream);
    if (error != cudaSuccess) return error;
    if (event.captured && !external) return join_capture(stream, *event.captured);
    error = check_order(stream);
    if (error != cudaSuccess) return error;
    const auto capture = capture_of(stream);
    if (external) {
        return capture ? capture_work(capture, stream, WaitWork{handle}) : cudaErrorInvalidValue;
    }
    return capture ? refuse_event_from_outside(capture) : cudaSuccess;
}

/// Whether the event happened: nothing is ever left to wait for.
cudaError_t ask(const Event& event) {
    return event.captured ? refuse_captured_event(*event.captured) : check_safe();
}

cudaError_t elapsed(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    const Event* from = events().find(start);
    const Event* to = events().find(end);
    if (!milliseconds) return cudaErrorInvalidValue;
    if (!from || !to || !from->recorded || !to->recorded || !from->timed || !to->timed) {
        return cudaErrorInvalidResourceHandle;
    }
    if (from->captured || to->captured) return cudaErrorCapturedEvent;
    *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
    return cudaSuccess;
}

}  // namespace

namespace coalesce::sim::cudart {

cudaError_t check_event(cudaEvent_t event) {
    if (events().find(event)) return cudaSuccess;
    return refuse("the event was destroyed, or never created.", cudaErrorInvalidResourceHandle);
}

cudaError_t record_now(cudaEvent_t handle) {
    const cudaError_t error = check_event(handle);
    if (error == cudaSuccess) ::record_now(*events().find(handle));
    return error;
}

void forget_events() {
    events().clear();
}

}  // namespace coalesce::sim::cudart

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return api(__func__, [&] { return create(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return api(__func__, [&] { return create(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return api(__func__, [&] {
        return events().destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return with_event(__func__, event, [&](Event& e) { return record(event, e, stream, false); });
}
COALESCE_PER_THREAD_STREAM(cudaEventRecord, _ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return with_event(__func__, event, [&](Event& e) {
        return flags > cudaEventRecordExternal ? cudaErrorInvalidValue
                                               : record(event, e, stream, flags != 0);
    });
}
COALESCE_PER_THREAD_STREAM(cudaEventRecordWithFlags, _ptsz);

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return with_event(__func__, event, ask);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return with_event(__func__, event, ask);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return api(__func__, [&] { return elapsed(milliseconds, start, end); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return with_event(__func__, event, [&](Event& e) {
        return flags > cudaEventWaitExternal ? cudaErrorInvalidValue
                                             : wait(stream, event, e, flags != 0);
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamWaitEvent, _ptsz);
