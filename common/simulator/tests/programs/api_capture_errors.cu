// Tests calls that fail during a stream capture, and calls that cannot be captured. The errors must
// be those of the real runtime, and each error must invalidate the capture.
// expect: the default stream: cudaErrorStreamCaptureUnsupported
// expect: twice: cudaErrorIllegalState
// expect: ending what was not begun: cudaErrorIllegalState
// expect: no graph: yes
// expect: synchronising it: cudaErrorStreamCaptureUnsupported
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: asking for it: cudaErrorStreamCaptureUnsupported
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: the device: cudaErrorStreamCaptureUnsupported
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: cudaMalloc: cudaErrorStreamCaptureUnsupported
// expect: a launch into it after that: cudaErrorStreamCaptureInvalidated
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: a callback: cudaErrorStreamCaptureUnsupported
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: launching a graph into it: cudaErrorStreamCaptureUnsupported
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: destroying what can be launched: cudaErrorStreamCaptureUnsupported
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: cudaMemcpy beside a blocking stream: cudaErrorStreamCaptureImplicit
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: a launch in the default stream: cudaErrorStreamCaptureImplicit
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: in the stream that joined: cudaErrorStreamCaptureUnmatched
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: a fork that is not joined: cudaErrorStreamCaptureUnjoined
// expect: no graph: yes
// expect: an event from outside: cudaErrorStreamCaptureIsolation
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: two captures: cudaErrorStreamCaptureMerge
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: a captured event: cudaErrorCapturedEvent
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: from another thread: cudaErrorStreamCaptureWrongThread
// expect: a launch after that is not captured: cudaErrorInvalidValue
// expect: and then: cudaErrorIllegalState, no graph: yes
// expect: a launch that cannot be: cudaErrorInvalidValue
// expect: and then: cudaErrorStreamCaptureInvalidated, no graph: yes
// expect: cudaMalloc with this thread relaxed: cudaSuccess
// expect: and then: cudaSuccess, no graph: NO
// expect: everything still works: 1
// expect-stderr: The default stream cannot be captured; create a stream.
// expect-stderr: apicheck: cudaErrorIllegalState from cudaStreamBeginCapture
// expect-stderr: apicheck: cudaErrorIllegalState from cudaStreamEndCapture
// expect-stderr: apicheck: cudaErrorStreamCaptureUnsupported from cudaStreamSynchronize
// expect-stderr: apicheck: cudaErrorStreamCaptureUnsupported from cudaDeviceSynchronize
// expect-stderr: apicheck: cudaErrorStreamCaptureUnsupported from cudaMalloc
// expect-stderr: apicheck: cudaErrorStreamCaptureUnsupported from cudaStreamAddCallback
// expect-stderr: apicheck: cudaErrorStreamCaptureUnsupported from cudaGraphLaunch
// expect-stderr: as a child node (cudaStreamGetCaptureInfo
// expect-stderr: apicheck: cudaErrorStreamCaptureUnsupported from cudaGraphExecDestroy
// expect-stderr: apicheck: cudaErrorStreamCaptureImplicit from cudaMemcpy
// expect-stderr: The call uses the default stream
// expect-stderr: apicheck: cudaErrorStreamCaptureUnmatched from cudaStreamEndCapture
// expect-stderr: apicheck: cudaErrorStreamCaptureUnjoined from cudaStreamEndCapture
// expect-stderr: record an event in the
// expect-stderr: apicheck: cudaErrorStreamCaptureIsolation from cudaStreamWaitEvent
// expect-stderr: apicheck: cudaErrorStreamCaptureMerge from cudaStreamWaitEvent
// expect-stderr: apicheck: cudaErrorCapturedEvent from cudaEventSynchronize
// expect-stderr: apicheck: cudaErrorStreamCaptureWrongThread from cudaStreamEndCapture
// expect-stderr: was not launched: a block of 2048 x 1 x 1 threads
#include <thread>

#include "api_check.h"

__global__ void add(int* to, int value) {
    *to += value;
}
static void CUDART_CB callback(cudaStream_t, cudaError_t, void*) {}

static int* device;
static cudaStream_t stream, blocking;
static cudaEvent_t event;

static void begin(cudaStream_t in) {
    need(cudaStreamBeginCapture(in, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, in>>>(device, 1);
}

/// Ends the capture. Prints the returned error, and whether no graph was returned.
static void end(cudaStream_t in) {
    cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(1);
    const cudaError_t error = cudaStreamEndCapture(in, &graph);
    cudaGetLastError();
    std::printf("and then: %s, no graph: %s\n", cudaGetErrorName(error), graph ? "NO" : "yes");
    if (graph) need(cudaGraphDestroy(graph));
}

static void begin_and_end() {
    cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(1);
    result("the default stream", cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
    begin(stream);
    result("twice", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    need(cudaStreamEndCapture(stream, &graph));
    need(cudaGraphDestroy(graph));
    result("ending what was not begun", cudaStreamEndCapture(stream, &graph));
    fact("no graph", graph == nullptr);
}

static void forbidden_calls() {
    void* memory;
    begin(stream);
    result("synchronising it", cudaStreamSynchronize(stream));
    end(stream);
    begin(stream);
    result("asking for it", cudaStreamQuery(stream));
    end(stream);
    begin(stream);
    result("the device", cudaDeviceSynchronize());
    end(stream);
    begin(stream);
    result("cudaMalloc", cudaMalloc(&memory, 16));
    add<<<1, 1, 0, stream>>>(device, 1);
    result("a launch into it after that", cudaGetLastError());
    end(stream);
    begin(stream);
    result("a callback", cudaStreamAddCallback(stream, callback, nullptr, 0));
    end(stream);
}

static void graphs() {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    begin(stream);
    need(cudaStreamEndCapture(stream, &graph));
    need(cudaGraphInstantiate(&executable, graph, 0));
    need(cudaGraphDestroy(graph));
    begin(stream);
    result("launching a graph into it", cudaGraphLaunch(executable, stream));
    end(stream);
    begin(stream);
    result("destroying what can be launched", cudaGraphExecDestroy(executable));
    end(stream);
}

static void default_stream() {
    int host;
    begin(blocking);
    result("cudaMemcpy beside a blocking stream",
           cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    end(blocking);
    begin(blocking);
    add<<<1, 1>>>(device, 1);
    result("a launch in the default stream", cudaGetLastError());
    end(blocking);
}

static void begin_and_fork() {
    begin(stream);
    need(cudaEventRecord(event, stream));
    need(cudaStreamWaitEvent(blocking, event));
    add<<<1, 1, 0, blocking>>>(device, 1);
}

static void forks() {
    cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(1);
    begin_and_fork();
    result("in the stream that joined", cudaStreamEndCapture(blocking, &graph));
    end(stream);
    graph = reinterpret_cast<cudaGraph_t>(1);
    begin_and_fork();
    result("a fork that is not joined", cudaStreamEndCapture(stream, &graph));
    fact("no graph", graph == nullptr);

    need(cudaEventRecord(event, blocking));
    begin(stream);
    result("an event from outside", cudaStreamWaitEvent(stream, event));
    end(stream);

    begin(stream);
    need(cudaEventRecord(event, stream));
    begin(blocking);
    result("two captures", cudaStreamWaitEvent(blocking, event));
    end(stream);
    end(blocking);

    begin(stream);
    need(cudaEventRecord(event, stream));
    result("a captured event", cudaEventSynchronize(event));
    end(stream);
}

static void threads_and_launches() {
    begin(stream);
    std::thread([] {
        cudaGraph_t graph;
        result("from another thread", cudaStreamEndCapture(stream, &graph));
    }).join();
    add<<<1, 2048, 0, stream>>>(device, 1);
    result("a launch after that is not captured", cudaGetLastError());
    end(stream);
    begin(stream);
    add<<<1, 2048, 0, stream>>>(device, 1);
    result("a launch that cannot be", cudaGetLastError());
    end(stream);

    void* memory;
    begin(stream);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    need(cudaThreadExchangeStreamCaptureMode(&mode));
    result("cudaMalloc with this thread relaxed", cudaMalloc(&memory, 16));
    need(cudaThreadExchangeStreamCaptureMode(&mode));
    end(stream);
    need(cudaFree(memory));
}

int main() {
    need(cudaMalloc(&device, sizeof(int)));
    need(cudaMemset(device, 0, sizeof(int)));
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    need(cudaStreamCreate(&blocking));
    need(cudaEventCreate(&event));
    begin_and_end();
    forbidden_calls();
    graphs();
    default_stream();
    forks();
    threads_and_launches();
    int host = -1;
    add<<<1, 1, 0, blocking>>>(device, 1);
    need(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("everything still works: %d\n", host);
    need(cudaFree(device));
}
