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
    static auto& instance = *new HandleTable<cudaStream_t, Stream>;
    return instance;
}

bool is_default_stream(cudaStream_t stream) {
    return is_legacy_default_stream(stream) || stream == cudaStreamPerThread;
}

/// Returns the stream with this handle, or null if there is no such stream.
Stream* find_stream_or_null(cudaStream_t handle) {
    static auto& legacy_stream = *new Stream{.id = 1};
    static auto& per_thread_stream = *new Stream{.id = 2};
    if (is_default_stream(handle))
        return is_legacy_default_stream(handle) ? &legacy_stream : &per_thread_stream;
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
    record_stream_creation(*stream, flags != cudaStreamNonBlocking);
}

}  // namespace

namespace coalesce::simulator::cudart {

void check_stream(cudaStream_t stream) {
    if (!find_stream_or_null(stream))
        refuse("the stream was destroyed, or never created.", cudaErrorInvalidResourceHandle);
}

int find_device_of_stream(cudaStream_t stream) {
    return is_default_stream(stream) ? current_device() : find_stream(stream).device;
}

void check_stream_of_device(cudaStream_t stream) {
    check_stream(stream);
    const std::string device = std::to_string(find_device_of_stream(stream));
    if (find_device_of_stream(stream) != current_device())
        refuse("the stream belongs to device " + device + ", but the current device is " +
                   std::to_string(current_device()) + ": call cudaSetDevice(" + device +
                   ") before the launch.",
               cudaErrorInvalidResourceHandle);
}

bool waits_for_default_stream(cudaStream_t stream) {
    const Stream* known_stream = find_stream_or_null(stream);
    return known_stream && known_stream->flags != cudaStreamNonBlocking;
}

void forget_streams() {
    created_streams().clear();
}

}  // namespace coalesce::simulator::cudart

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return run_device_call(__func__, [&] { create_stream(stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return run_device_call(__func__, [&] { create_stream(stream, flags, 0); });
}

COALESCE_BY(run_device_call, cudaStreamCreateWithPriority, create_stream, 3);

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return run_device_call(__func__, [&] {
        check_stream(stream);
        forget_capture(stream);
        require(created_streams().destroy(stream), cudaErrorInvalidResourceHandle);
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return run_device_call(__func__, [&] {
        if (least) *least = kLowestPriority;
        if (greatest) *greatest = kHighestPriority;
    });
}

// ---- waiting: work is always complete, so nothing waits ----

static void wait_for_stream(cudaStream_t stream) {
    check_not_captured(stream);
    record_host_wait_for_stream(stream);
}

COALESCE_BY(run_device_call, cudaStreamSynchronize, wait_for_stream, 1);
COALESCE_PER_THREAD_STREAM(cudaStreamSynchronize, _ptsz);

COALESCE_BY(run_device_call, cudaStreamQuery, wait_for_stream, 1);
COALESCE_PER_THREAD_STREAM(cudaStreamQuery, _ptsz);

// ---- host functions ----

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return queue_in_stream(__func__, stream, [&] { return HostWork{function, data}; });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchHostFunc, _ptsz);

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
    return run_stream_call(__func__, stream, [&] {
        require(callback && flags == 0);
        check_default_stream_order(stream);
        // Unlike host functions, callbacks cannot be captured.
        if (find_capture(stream)) check_not_captured(stream);
        // The callback may already use data written by earlier work in the stream.
        record_host_wait_for_stream(stream);
        callback(stream, cudaSuccess, data);
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamAddCallback, _ptsz);

// ---- queries ----

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return run_device_call(__func__, [&] { store_output(flags, find_stream(stream).flags); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetFlags, _ptsz);

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return run_device_call(__func__, [&] { store_output(priority, find_stream(stream).priority); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetPriority, _ptsz);

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    return run_device_call(__func__, [&] { store_output(id, find_stream(stream).id); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetId, _ptsz);

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return run_device_call(__func__, [&] {
        const Stream& known_stream = find_stream(stream);
        store_output(device, is_default_stream(stream) ? current_device() : known_stream.device);
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetDevice, _ptsz);

// ---- attributes, which are stored but have no effect ----

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
    return run_device_call(__func__, [&] {
        Stream& known_stream = find_stream(stream);
        require(value);
        known_stream.attributes[attribute] = *value;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamSetAttribute, _ptsz);

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
    return run_device_call(__func__,
                           [&] { store_output(value, find_stream(stream).attributes[attribute]); });
}
COALESCE_PER_THREAD_STREAM(cudaStreamGetAttribute, _ptsz);

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return run_device_call(__func__, [&] {
        Stream& target_stream = find_stream(to);
        target_stream.attributes = find_stream(from).attributes;
    });
}
COALESCE_PER_THREAD_STREAM(cudaStreamCopyAttributes, _ptsz);
