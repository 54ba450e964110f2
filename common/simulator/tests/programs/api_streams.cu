// Tests streams, events, and host functions in streams.
// expect: flags: 1
// expect: a priority beyond the greatest is cut: yes
// expect: the default stream's flags: 0
// expect: work in a stream: yes
// expect: a host function ran after the kernel: 42
// expect: a callback got no error and its data: 43
// expect: query after synchronisation: cudaSuccess
// expect: not captured: yes
// expect: unknown flags: cudaErrorInvalidValue
// expect: destroying the default stream: cudaErrorInvalidResourceHandle
// expect: an event that was not recorded is complete: cudaSuccess
// expect: ... but has no time: cudaErrorInvalidResourceHandle
// expect: time goes forward: yes
// expect: an event without timing: cudaErrorInvalidResourceHandle
// expect: recording nothing: cudaErrorInvalidResourceHandle
// expect: one stream waits for another: yes
// expect: legacy and per-thread streams: cudaSuccess cudaSuccess
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaStreamCreateWithFlags
// expect-stderr: apicheck: cudaErrorInvalidResourceHandle from cudaStreamDestroy
// expect-stderr: apicheck: cudaErrorInvalidResourceHandle from cudaEventElapsedTime
// expect-stderr: apicheck: cudaErrorInvalidResourceHandle from cudaEventRecord
#include "api_check.h"

__global__ void set(int* out, int value) {
    *out = value;
}
__global__ void copy_value(int* out, const int* in) {
    *out = *in;
}

static int* pinned;
static int seen_by_host = 0, seen_by_callback = 0;

static void CUDART_CB on_host(void* data) {
    seen_by_host = *static_cast<int*>(data) + 1;
}
static void CUDART_CB on_callback(cudaStream_t, cudaError_t error, void* data) {
    seen_by_callback = error == cudaSuccess ? *static_cast<int*>(data) + 2 : -1;
}

static void streams(cudaStream_t stream) {
    unsigned flags = 9;
    need(cudaStreamGetFlags(stream, &flags));
    std::printf("flags: %u\n", flags);
    int least, greatest, priority = 99;
    need(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t urgent;
    need(cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, greatest - 10));
    need(cudaStreamGetPriority(urgent, &priority));
    fact("a priority beyond the greatest is cut", priority == greatest && least >= greatest);
    need(cudaStreamDestroy(urgent));
    need(cudaStreamGetFlags(nullptr, &flags));
    std::printf("the default stream's flags: %u\n", flags);

    set<<<1, 1, 0, stream>>>(pinned, 41);
    need(cudaLaunchHostFunc(stream, on_host, pinned));
    need(cudaStreamAddCallback(stream, on_callback, pinned, 0));
    need(cudaStreamSynchronize(stream));
    fact("work in a stream", *pinned == 41);
    std::printf("a host function ran after the kernel: %d\n", seen_by_host);
    std::printf("a callback got no error and its data: %d\n", seen_by_callback);
    result("query after synchronisation", cudaStreamQuery(stream));
    cudaStreamCaptureStatus status;
    need(cudaStreamIsCapturing(stream, &status));
    fact("not captured", status == cudaStreamCaptureStatusNone);
    cudaStream_t never;
    result("unknown flags", cudaStreamCreateWithFlags(&never, 5));
    result("destroying the default stream", cudaStreamDestroy(nullptr));
}

static void events(cudaStream_t stream) {
    cudaEvent_t a, b, untimed;
    float milliseconds = -1;
    need(cudaEventCreate(&a));
    need(cudaEventCreateWithFlags(&b, cudaEventBlockingSync));
    need(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    result("an event that was not recorded is complete", cudaEventQuery(a));
    result("... but has no time", cudaEventElapsedTime(&milliseconds, a, b));
    need(cudaEventRecord(a, stream));
    set<<<1, 1, 0, stream>>>(pinned, 1);
    need(cudaEventRecord(b, stream));
    need(cudaEventSynchronize(b));
    need(cudaEventElapsedTime(&milliseconds, a, b));
    fact("time goes forward", milliseconds >= 0);
    need(cudaEventRecord(untimed, stream));
    need(cudaEventSynchronize(untimed));
    result("an event without timing", cudaEventElapsedTime(&milliseconds, a, untimed));
    result("recording nothing", cudaEventRecord(nullptr));

    cudaStream_t second;
    need(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    set<<<1, 1, 0, stream>>>(pinned, 17);
    need(cudaEventRecord(untimed, stream));
    need(cudaStreamWaitEvent(second, untimed));
    copy_value<<<1, 1, 0, second>>>(pinned + 1, pinned);
    need(cudaStreamSynchronize(second));
    fact("one stream waits for another", pinned[1] == 17);
    need(cudaStreamDestroy(second));
    need(cudaEventDestroy(a));
    need(cudaEventDestroy(b));
    need(cudaEventDestroy(untimed));
}

int main() {
    need(cudaMallocHost(&pinned, 2 * sizeof(int)));
    cudaStream_t stream;
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    streams(stream);
    events(stream);
    need(cudaStreamDestroy(stream));
    std::printf("legacy and per-thread streams: %s %s\n",
                cudaGetErrorName(cudaStreamSynchronize(cudaStreamLegacy)),
                cudaGetErrorName(cudaStreamSynchronize(cudaStreamPerThread)));
    need(cudaFreeHost(pinned));
}
