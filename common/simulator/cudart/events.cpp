// Events. An event is complete as soon as it is recorded. The time between two of them is the time
// that the host took to simulate what lies between: it says nothing of a GPU.
#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include "cudart/streams.h"

using namespace coalesce::sim::cudart;

namespace {

using Clock = std::chrono::steady_clock;

struct Event {
    bool timed = true;
    bool recorded = false;
    Clock::time_point at;
};

class Events {
public:
    static Events& instance() {
        static Events& events = *new Events;
        return events;
    }
    cudaEvent_t create(bool timed) {
        std::lock_guard lock(mutex_);
        auto event = std::make_unique<Event>();
        event->timed = timed;
        const auto handle = reinterpret_cast<cudaEvent_t>(event.get());
        created_[handle] = std::move(event);
        return handle;
    }
    bool destroy(cudaEvent_t handle) {
        std::lock_guard lock(mutex_);
        return created_.erase(handle) > 0;
    }
    Event* find(cudaEvent_t handle) {
        std::lock_guard lock(mutex_);
        const auto found = created_.find(handle);
        return found == created_.end() ? nullptr : found->second.get();
    }
    void clear() {
        std::lock_guard lock(mutex_);
        created_.clear();
    }

private:
    std::mutex mutex_;
    std::map<cudaEvent_t, std::unique_ptr<Event>> created_;
};

template <class Body>
cudaError_t with_event(const char* name, cudaEvent_t handle, Body body) {
    return api(name, [&] {
        Event* event = Events::instance().find(handle);
        if (event) return body(*event);
        explain("the event was destroyed, or never created.");
        return cudaErrorInvalidResourceHandle;
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
    *event = Events::instance().create(!(flags & cudaEventDisableTiming));
    return cudaSuccess;
}

cudaError_t record(Event& event, cudaStream_t stream) {
    const cudaError_t error = check_stream(stream);
    if (error != cudaSuccess) return error;
    event.recorded = true;
    event.at = Clock::now();
    return cudaSuccess;
}

cudaError_t elapsed(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    const Event* from = Events::instance().find(start);
    const Event* to = Events::instance().find(end);
    if (!milliseconds) return cudaErrorInvalidValue;
    if (!from || !to || !from->recorded || !to->recorded || !from->timed || !to->timed) {
        return cudaErrorInvalidResourceHandle;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
    return cudaSuccess;
}

}  // namespace

namespace coalesce::sim::cudart {

void forget_events() {
    Events::instance().clear();
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
        return Events::instance().destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return with_event(__func__, event, [&](Event& e) { return record(e, stream); });
}
COALESCE_PER_THREAD_STREAM(cudaEventRecord, _ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return with_event(__func__, event, [&](Event& e) {
        return flags > cudaEventRecordExternal ? cudaErrorInvalidValue : record(e, stream);
    });
}
COALESCE_PER_THREAD_STREAM(cudaEventRecordWithFlags, _ptsz);

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return with_event(__func__, event, [](Event&) { return cudaSuccess; });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return with_event(__func__, event, [](Event&) { return cudaSuccess; });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return api(__func__, [&] { return elapsed(milliseconds, start, end); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return with_event(__func__, event, [&](Event&) {
        return flags > cudaEventWaitExternal ? cudaErrorInvalidValue : check_stream(stream);
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamWaitEvent, _ptsz);
