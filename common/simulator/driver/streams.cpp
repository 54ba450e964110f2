// Streams, events and captures: the runtime's.
#include "driver/driver.h"

using namespace coalesce::sim::driver;

extern "C" {

// ---- streams ----

Result cuStreamCreate(cudaStream_t* stream, unsigned flags) {
    return same(__func__, cudaStreamCreateWithFlags, stream, flags);
}

Result cuStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return same(__func__, cudaStreamCreateWithPriority, stream, flags, priority);
}

Result cuStreamDestroy_v2(cudaStream_t stream) {
    return same(__func__, cudaStreamDestroy, stream);
}

Result cuStreamSynchronize(cudaStream_t stream) {
    return same(__func__, cudaStreamSynchronize, stream);
}
COALESCE_PER_THREAD_STREAM(cuStreamSynchronize, _ptsz);

Result cuStreamQuery(cudaStream_t stream) {
    return same(__func__, cudaStreamQuery, stream);
}
COALESCE_PER_THREAD_STREAM(cuStreamQuery, _ptsz);

Result cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return same(__func__, cudaStreamWaitEvent, stream, event, flags);
}
COALESCE_PER_THREAD_STREAM(cuStreamWaitEvent, _ptsz);

/// A CUstreamCallback gets a CUresult, which for a success is the same.
Result cuStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                           unsigned flags) {
    return same(__func__, cudaStreamAddCallback, stream, callback, data, flags);
}
COALESCE_PER_THREAD_STREAM(cuStreamAddCallback, _ptsz);

Result cuStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return same(__func__, cudaStreamGetFlags, stream, flags);
}
COALESCE_PER_THREAD_STREAM(cuStreamGetFlags, _ptsz);

Result cuStreamGetPriority(cudaStream_t stream, int* priority) {
    return same(__func__, cudaStreamGetPriority, stream, priority);
}
COALESCE_PER_THREAD_STREAM(cuStreamGetPriority, _ptsz);

Result cuStreamGetId(cudaStream_t stream, unsigned long long* id) {
    return same(__func__, cudaStreamGetId, stream, id);
}
COALESCE_PER_THREAD_STREAM(cuStreamGetId, _ptsz);

Result cuStreamGetDevice(cudaStream_t stream, int* device) {
    return same(__func__, cudaStreamGetDevice, stream, device);
}
COALESCE_PER_THREAD_STREAM(cuStreamGetDevice, _ptsz);

Result cuStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes, unsigned flags) {
    return same(__func__, cudaStreamAttachMemAsync, stream, pointer, bytes, flags);
}
COALESCE_PER_THREAD_STREAM(cuStreamAttachMemAsync, _ptsz);

Result cuStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return same(__func__, cudaStreamCopyAttributes, to, from);
}
COALESCE_PER_THREAD_STREAM(cuStreamCopyAttributes, _ptsz);

Result cuStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                            cudaLaunchAttributeValue* value) {
    return same(__func__, cudaStreamGetAttribute, stream, attribute, value);
}
COALESCE_PER_THREAD_STREAM(cuStreamGetAttribute, _ptsz);

Result cuStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                            const cudaLaunchAttributeValue* value) {
    return same(__func__, cudaStreamSetAttribute, stream, attribute, value);
}
COALESCE_PER_THREAD_STREAM(cuStreamSetAttribute, _ptsz);

// ---- events ----

Result cuEventCreate(cudaEvent_t* event, unsigned flags) {
    return same(__func__, cudaEventCreateWithFlags, event, flags);
}

Result cuEventDestroy_v2(cudaEvent_t event) {
    return same(__func__, cudaEventDestroy, event);
}

Result cuEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return same(__func__, cudaEventRecord, event, stream);
}
COALESCE_PER_THREAD_STREAM(cuEventRecord, _ptsz);

Result cuEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return same(__func__, cudaEventRecordWithFlags, event, stream, flags);
}
COALESCE_PER_THREAD_STREAM(cuEventRecordWithFlags, _ptsz);

Result cuEventQuery(cudaEvent_t event) {
    return same(__func__, cudaEventQuery, event);
}

Result cuEventSynchronize(cudaEvent_t event) {
    return same(__func__, cudaEventSynchronize, event);
}

Result cuEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return same(__func__, cudaEventElapsedTime, milliseconds, start, end);
}

Result cuEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return same(__func__, cudaEventElapsedTime, milliseconds, start, end);
}

// ---- captures ----

Result cuStreamBeginCapture_v2(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return same(__func__, cudaStreamBeginCapture, stream, mode);
}
COALESCE_PER_THREAD_STREAM(cuStreamBeginCapture_v2, _ptsz);

Result cuStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                   const cudaGraphNode_t* nodes, const cudaGraphEdgeData* data,
                                   size_t count, cudaStreamCaptureMode mode) {
    return same(__func__, cudaStreamBeginCaptureToGraph, stream, graph, nodes, data, count, mode);
}
COALESCE_PER_THREAD_STREAM(cuStreamBeginCaptureToGraph, _ptsz);

Result cuStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    return same(__func__, cudaStreamEndCapture, stream, graph);
}
COALESCE_PER_THREAD_STREAM(cuStreamEndCapture, _ptsz);

Result cuStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return same(__func__, cudaStreamIsCapturing, stream, status);
}
COALESCE_PER_THREAD_STREAM(cuStreamIsCapturing, _ptsz);

Result cuStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                 unsigned long long* id, cudaGraph_t* graph,
                                 const cudaGraphNode_t** nodes, const cudaGraphEdgeData** data,
                                 size_t* count) {
    return same(__func__, cudaStreamGetCaptureInfo, stream, status, id, graph, nodes, data, count);
}
COALESCE_PER_THREAD_STREAM(cuStreamGetCaptureInfo_v3, _ptsz);

Result cuStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t* nodes,
                                            const cudaGraphEdgeData* data, size_t count,
                                            unsigned flags) {
    return same(__func__, cudaStreamUpdateCaptureDependencies, stream, nodes, data, count, flags);
}
COALESCE_PER_THREAD_STREAM(cuStreamUpdateCaptureDependencies_v2, _ptsz);

Result cuThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return call(__func__, [&] { return cudaThreadExchangeStreamCaptureMode(mode); });
}

}  // extern "C"
