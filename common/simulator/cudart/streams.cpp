// Streams. A call that puts work in a stream does the work before it returns, so a stream is never
// busy: what is left of it is a handle with flags, a priority and attributes.
#include "cudart/streams.h"

#include "cudart/capture.h"
#include "cudart/devices.h"
#include "cudart/handles.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "base/types.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// The range of priorities of hardware: 0 the least, -5 the greatest.
constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

struct Stream {
    unsigned flags = cudaStreamDefault;
    int priority = 0;
    int device = 0;
    unsigned long long id = 0;
    std::map<int, cudaLaunchAttributeValue> attributes = {};
};

class Streams {
public:
    static Streams& instance() {
        static Streams& streams = *new Streams;
        return streams;
    }
    cudaStream_t create(unsigned flags, int priority) {
        return created_.add({flags, priority, current_device(), next_id_++});
    }
    bool destroy(cudaStream_t handle) { return created_.destroy(handle); }
    /// nullptr: no such stream.
    Stream* find(cudaStream_t handle) {
        if (handle == nullptr || handle == cudaStreamLegacy) return &legacy_;
        return handle == cudaStreamPerThread ? &per_thread_ : created_.find(handle);
    }
    void clear() { created_.clear(); }

private:
    Streams() {
        legacy_.id = 1;
        per_thread_.id = 2;
    }

    Stream legacy_, per_thread_;
    Handles<cudaStream_t, Stream> created_;
    std::atomic<unsigned long long> next_id_ = 16;
};

Stream& find_stream(cudaStream_t handle) {
    Stream* stream = Streams::instance().find(handle);
    need(stream, cudaErrorInvalidResourceHandle);
    return *stream;
}

void create(cudaStream_t* stream, unsigned flags, int priority) {
    need(stream && flags <= cudaStreamNonBlocking);
    *stream =
        Streams::instance().create(flags, std::clamp(priority, kGreatestPriority, kLeastPriority));
}

}  // namespace

namespace coalesce::sim::cudart {

void check_stream(cudaStream_t stream) {
    if (!Streams::instance().find(stream))
        refuse("the stream was destroyed, or never created.", cudaErrorInvalidResourceHandle);
}

bool waits_for_default_stream(cudaStream_t stream) {
    const Stream* known = Streams::instance().find(stream);
    return known && known->flags != cudaStreamNonBlocking;
}

void forget_streams() {
    Streams::instance().clear();
}

}  // namespace coalesce::sim::cudart

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return api(__func__, [&] { return create(stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return api(__func__, [&] { return create(stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return api(__func__, [&] { return create(stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return api(__func__, [&] {
        check_stream(stream);
        forget_capture(stream);
        need(Streams::instance().destroy(stream), cudaErrorInvalidResourceHandle);
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return api(__func__, [&] {
        if (least) *least = kLeastPriority;
        if (greatest) *greatest = kGreatestPriority;
    });
}

// ---- waiting: nothing is ever left to wait for ----

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return on_stream(__func__, stream, [&] { return check_not_captured(stream); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamSynchronize, _ptsz);

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return on_stream(__func__, stream, [&] { return check_not_captured(stream); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamQuery, _ptsz);

// ---- host functions ----

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return in_stream(__func__, stream, [&] { return HostWork{function, data}; });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchHostFunc, _ptsz);

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
    return on_stream(__func__, stream, [&] {
        need(callback && flags == 0);
        check_order(stream);
        // Unlike host functions, callbacks cannot be captured.
        if (capture_of(stream)) check_not_captured(stream);
        callback(stream, cudaSuccess, data);
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamAddCallback, _ptsz);

// ---- queries ----

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return api(__func__, [&] { give(flags, find_stream(stream).flags); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetFlags, _ptsz);

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return api(__func__, [&] { give(priority, find_stream(stream).priority); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetPriority, _ptsz);

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    return api(__func__, [&] { give(id, find_stream(stream).id); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetId, _ptsz);

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return api(__func__, [&] {
        const Stream& known = find_stream(stream);
        const bool is_own =
            stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
        give(device, is_own ? known.device : current_device());
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetDevice, _ptsz);

// ---- attributes: kept, of no consequence ----

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
    return api(__func__, [&] {
        Stream& known = find_stream(stream);
        need(value);
        known.attributes[attribute] = *value;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamSetAttribute, _ptsz);

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
    return api(__func__, [&] { give(value, find_stream(stream).attributes[attribute]); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetAttribute, _ptsz);

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return api(__func__, [&] {
        Stream& target = find_stream(to);
        target.attributes = find_stream(from).attributes;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamCopyAttributes, _ptsz);
