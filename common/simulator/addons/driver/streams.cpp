// Forwards calls for streams, events and captures to the runtime.
#include "simulator/addons/driver/driver.h"

using namespace coalesce::simulator::driver;

extern "C" {

// ---- streams ----

COALESCE_SAME(cuStreamCreate, cudaStreamCreateWithFlags, 2);
COALESCE_SAME(cuStreamCreateWithPriority, cudaStreamCreateWithPriority, 3);
COALESCE_SAME(cuStreamDestroy_v2, cudaStreamDestroy, 1);
COALESCE_SAME_IN_STREAM(cuStreamSynchronize, cudaStreamSynchronize, 1);
COALESCE_SAME_IN_STREAM(cuStreamQuery, cudaStreamQuery, 1);
COALESCE_SAME_IN_STREAM(cuStreamWaitEvent, cudaStreamWaitEvent, 3);

/// A CUstreamCallback takes a CUresult instead of a cudaError_t. In both types, 0 means success.
COALESCE_SAME_IN_STREAM(cuStreamAddCallback, cudaStreamAddCallback, 4);
COALESCE_SAME_IN_STREAM(cuStreamGetFlags, cudaStreamGetFlags, 2);
COALESCE_SAME_IN_STREAM(cuStreamGetPriority, cudaStreamGetPriority, 2);
COALESCE_SAME_IN_STREAM(cuStreamGetId, cudaStreamGetId, 2);
COALESCE_SAME_IN_STREAM(cuStreamGetDevice, cudaStreamGetDevice, 2);
COALESCE_SAME_IN_STREAM(cuStreamAttachMemAsync, cudaStreamAttachMemAsync, 4);
COALESCE_SAME_IN_STREAM(cuStreamCopyAttributes, cudaStreamCopyAttributes, 2);
COALESCE_SAME_IN_STREAM(cuStreamGetAttribute, cudaStreamGetAttribute, 3);
COALESCE_SAME_IN_STREAM(cuStreamSetAttribute, cudaStreamSetAttribute, 3);

// ---- events ----

COALESCE_SAME(cuEventCreate, cudaEventCreateWithFlags, 2);
COALESCE_SAME(cuEventDestroy_v2, cudaEventDestroy, 1);
COALESCE_SAME_IN_STREAM(cuEventRecord, cudaEventRecord, 2);
COALESCE_SAME_IN_STREAM(cuEventRecordWithFlags, cudaEventRecordWithFlags, 3);
COALESCE_SAME(cuEventQuery, cudaEventQuery, 1);
COALESCE_SAME(cuEventSynchronize, cudaEventSynchronize, 1);
COALESCE_SAME(cuEventElapsedTime, cudaEventElapsedTime, 3);
COALESCE_SAME(cuEventElapsedTime_v2, cudaEventElapsedTime, 3);

// ---- captures ----

COALESCE_SAME_IN_STREAM(cuStreamBeginCapture_v2, cudaStreamBeginCapture, 2);
COALESCE_SAME_IN_STREAM(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph, 6);
COALESCE_SAME_IN_STREAM(cuStreamEndCapture, cudaStreamEndCapture, 2);
COALESCE_SAME_IN_STREAM(cuStreamIsCapturing, cudaStreamIsCapturing, 2);
COALESCE_SAME_IN_STREAM(cuStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo, 7);
COALESCE_SAME_IN_STREAM(cuStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies,
                        5);
COALESCE_SAME_ANYWHERE(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode, 1);

}  // extern "C"
