// Streams. A call that puts work in a stream does the work before it returns, so a stream is never
// busy: what is left of it is a handle with flags, a priority and attributes.
#include "cudart/streams.h"

#include "cudart/capture.h"
#include "cudart/devices.h"
#include "cudart/handles.h"

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

template <class Body>
cudaError_t with_stream(const char* name, cudaStream_t handle, Body body) {
    return api(name, [&] {
        Stream* stream = Streams::instance().find(handle);
        return stream ? body(*stream) : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t create(cudaStream_t* stream, unsigned flags, int priority) {
    if (!stream || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    if (priority < kGreatestPriority) priority = kGreatestPriority;
    if (priority > kLeastPriority) priority = kLeastPriority;
    *stream = Streams::instance().create(flags, priority);
    return cudaSuccess;
}

}  // namespace

namespace coalesce::sim::cudart {

cudaError_t check_stream(cudaStream_t stream) {
    if (Streams::instance().find(stream)) return cudaSuccess;
    return refuse("the stream was destroyed, or never created.", cudaErrorInvalidResourceHandle);
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
        if (const cudaError_t error = check_stream(stream)) return error;
        forget_capture(stream);
        return Streams::instance().destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return api(__func__, [&] {
        if (least) *least = kLeastPriority;
        if (greatest) *greatest = kGreatestPriority;
        return cudaSuccess;
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
    return in_stream(__func__, stream, [&](Work& work) {
        work = HostWork{function, data};
        return cudaSuccess;
    });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchHostFunc, _ptsz);

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
    return on_stream(__func__, stream, [&] {
        if (!callback || flags != 0) return cudaErrorInvalidValue;
        // Unlike host functions, callbacks cannot be captured.
        if (const cudaError_t error =
                capture_of(stream) ? check_not_captured(stream) : check_order(stream))
            return error;
        callback(stream, cudaSuccess, data);
        return cudaSuccess;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamAddCallback, _ptsz);

// ---- queries ----

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return with_stream(__func__, stream, [&](Stream& s) { return give(flags, s.flags); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetFlags, _ptsz);

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return with_stream(__func__, stream, [&](Stream& s) { return give(priority, s.priority); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetPriority, _ptsz);

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    return with_stream(__func__, stream, [&](Stream& s) { return give(id, s.id); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetId, _ptsz);

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return with_stream(__func__, stream, [&](Stream& known) {
        const bool is_own =
            stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
        return give(device, is_own ? known.device : current_device());
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetDevice, _ptsz);

// ---- attributes: kept, of no consequence ----

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
    return with_stream(__func__, stream, [&](Stream& s) {
        if (!value) return cudaErrorInvalidValue;
        s.attributes[attribute] = *value;
        return cudaSuccess;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamSetAttribute, _ptsz);

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
    return with_stream(__func__, stream, [&](Stream& s) {
        if (!value) return cudaErrorInvalidValue;
        *value = s.attributes[attribute];
        return cudaSuccess;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetAttribute, _ptsz);

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return with_stream(__func__, to, [&](Stream& target) {
        Stream* source = Streams::instance().find(from);
        if (!source) return cudaErrorInvalidResourceHandle;
        target.attributes = source->attributes;
        return cudaSuccess;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamCopyAttributes, _ptsz);
