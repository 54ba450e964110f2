// Implements streams. A call that queues work in a stream completes the work before it returns, so
// a stream is never busy. A stream here consists of a handle, flags, a priority and attributes.
#include "simulator/cudart/streams.h"

#include "simulator/cudart/capture.h"
#include "simulator/cudart/devices.h"
#include "simulator/cudart/handles.h"
#include "simulator/cudart/stream_order.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "simulator/base/types.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// The lowest and the highest stream priority on hardware: 0 and -5.
constexpr int kLowestPriority = 0;
constexpr int kHighestPriority = -5;

struct Stream {
    unsigned flags = cudaStreamDefault;
    int priority = 0;
    int device = 0;
    unsigned long long id = 0;
    std::map<int, cudaLaunchAttributeValue> attributes = {};
};

auto& created_streams() {
    static auto& all = *new Handles<cudaStream_t, Stream>;
    return all;
}

bool is_default(cudaStream_t stream) {
    return is_legacy(stream) || stream == cudaStreamPerThread;
}

/// Returns the stream with this handle, or null if there is no such stream.
Stream* find_stream_or_null(cudaStream_t handle) {
    static auto& legacy = *new Stream{.id = 1};
    static auto& per_thread = *new Stream{.id = 2};
    if (is_default(handle)) return is_legacy(handle) ? &legacy : &per_thread;
    return created_streams().find(handle);
}

Stream& find_stream(cudaStream_t handle) {
    Stream* stream = find_stream_or_null(handle);
    require(stream, cudaErrorInvalidResourceHandle);
    return *stream;
}

void create_stream(cudaStream_t* stream, unsigned flags, int priority) {
    static std::atomic<unsigned long long> next_id = 16;
    require(stream && flags <= cudaStreamNonBlocking);
    priority = std::clamp(priority, kHighestPriority, kLowestPriority);
    *stream = created_streams().add({flags, priority, current_device(), next_id++});
    note_stream_created(*stream, flags != cudaStreamNonBlocking);
}

}  // namespace

namespace coalesce::simulator::cudart {

void check_stream(cudaStream_t stream) {
    if (!find_stream_or_null(stream))
        refuse("the stream was destroyed, or never created.", cudaErrorInvalidResourceHandle);
}

int device_of(cudaStream_t stream) {
    return is_default(stream) ? current_device() : find_stream(stream).device;
}

void check_stream_of_device(cudaStream_t stream) {
    check_stream(stream);
    const std::string device = std::to_string(device_of(stream));
    if (device_of(stream) != current_device())
        refuse("the stream belongs to device " + device + ", but the current device is " +
                   std::to_string(current_device()) + ": call cudaSetDevice(" + device +
                   ") before the launch.",
               cudaErrorInvalidResourceHandle);
}

bool waits_for_default_stream(cudaStream_t stream) {
    const Stream* known = find_stream_or_null(stream);
    return known && known->flags != cudaStreamNonBlocking;
}

void forget_streams() {
    created_streams().clear();
}

}  // namespace coalesce::simulator::cudart

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return api(__func__, [&] { create_stream(stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return api(__func__, [&] { create_stream(stream, flags, 0); });
}

COALESCE_BY(api, cudaStreamCreateWithPriority, create_stream, 3);

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return api(__func__, [&] {
        check_stream(stream);
        forget_capture(stream);
        require(created_streams().destroy(stream), cudaErrorInvalidResourceHandle);
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return api(__func__, [&] {
        if (least) *least = kLowestPriority;
        if (greatest) *greatest = kHighestPriority;
    });
}

// ---- waiting: work is always complete, so nothing waits ----

static void wait_for_stream(cudaStream_t stream) {
    check_not_captured(stream);
    note_host_waited_for_stream(stream);
}

COALESCE_BY(api, cudaStreamSynchronize, wait_for_stream, 1);
COALESCE_PER_THREAD_STREAM(cudaStreamSynchronize, _ptsz);

COALESCE_BY(api, cudaStreamQuery, wait_for_stream, 1);
COALESCE_PER_THREAD_STREAM(cudaStreamQuery, _ptsz);

// ---- host functions ----

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return queue_in_stream(__func__, stream, [&] { return HostWork{function, data}; });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchHostFunc, _ptsz);

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
    return call_on_stream(__func__, stream, [&] {
        require(callback && flags == 0);
        check_default_stream_order(stream);
        // Unlike host functions, callbacks cannot be captured.
        if (find_capture(stream)) check_not_captured(stream);
        // The callback may already use data written by earlier work in the stream.
        note_host_waited_for_stream(stream);
        callback(stream, cudaSuccess, data);
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamAddCallback, _ptsz);

// ---- queries ----

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return api(__func__, [&] { store_output(flags, find_stream(stream).flags); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetFlags, _ptsz);

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return api(__func__, [&] { store_output(priority, find_stream(stream).priority); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetPriority, _ptsz);

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    return api(__func__, [&] { store_output(id, find_stream(stream).id); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetId, _ptsz);

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return api(__func__, [&] {
        const Stream& known = find_stream(stream);
        store_output(device, is_default(stream) ? current_device() : known.device);
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetDevice, _ptsz);

// ---- attributes, which are stored but have no effect ----

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
    return api(__func__, [&] {
        Stream& known = find_stream(stream);
        require(value);
        known.attributes[attribute] = *value;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamSetAttribute, _ptsz);

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
    return api(__func__, [&] { store_output(value, find_stream(stream).attributes[attribute]); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetAttribute, _ptsz);

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return api(__func__, [&] {
        Stream& target = find_stream(to);
        target.attributes = find_stream(from).attributes;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamCopyAttributes, _ptsz);
