// Several streams access the same memory in an undefined order.
#include "../streams.h"

__global__ void fill(int* data, int value) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = value;  // other no_event // other event_before_the_work // other freed_too_early // other wrong_event // other host_waits_for_the_other_stream // other event_of_the_other_graph
}
__global__ void twice(int* out, const int* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];  // bug no_event: streamcheck: no order between streams // bug event_before_the_work: streamcheck: no order between streams // bug copy_not_waited_for: streamcheck: no order between streams // bug wrong_event: streamcheck: no order between streams // bug default_stream_does_not_wait: streamcheck: no order between streams // bug host_waits_for_the_other_stream: streamcheck: no order between streams // bug event_of_the_other_graph: streamcheck: no order between streams // other overwritten_while_read
}
// These reports name no line of a kernel, because the later operation is a call by the host.
// bug freed_too_early: streamcheck: freed while in use
// bug overwritten_while_read: streamcheck: no order between streams

static void run_twice(cudaStream_t stream, int* out, const int* in) {
    twice<<<kCount / 256, 256, 0, stream>>>(out, in);
}
static void run_fill(cudaStream_t stream, int* data) {
    fill<<<kCount / 256, 256, 0, stream>>>(data, 1);
}

static void no_event() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream();
    run_fill(first, in);
    run_twice(second, out, in);
}

// The event is recorded before the work that the other stream should wait for.
static void event_before_the_work() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream();
    const cudaEvent_t filled = new_event();
    need(cudaEventRecord(filled, first));
    run_fill(first, in);
    need(cudaStreamWaitEvent(second, filled, 0));
    run_twice(second, out, in);
}

// The stream waits for the wrong one of two events.
static void wrong_event() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream(), third = new_stream();
    const cudaEvent_t filled = new_event(), unrelated = new_event();
    run_fill(first, in);
    need(cudaEventRecord(filled, first));
    need(cudaEventRecord(unrelated, third));
    need(cudaStreamWaitEvent(second, unrelated, 0));
    run_twice(second, out, in);
}

static void copy_not_waited_for() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount), *host = pinned_zeros();
    const cudaStream_t first = new_stream(), second = new_stream();
    need(cudaMemcpyAsync(in, host, kCount * sizeof(int), cudaMemcpyHostToDevice, first));
    run_twice(second, out, in);
}

// Double buffering: the next input overwrites a buffer that a kernel is still reading.
static void overwritten_while_read() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount), *host = pinned_zeros();
    const cudaStream_t copying = new_stream(), computing = new_stream();
    const cudaEvent_t copied = new_event();
    for (int round = 0; round < 2; ++round) {
        need(cudaMemcpyAsync(in, host, kCount * sizeof(int), cudaMemcpyHostToDevice, copying));
        need(cudaEventRecord(copied, copying));
        need(cudaStreamWaitEvent(computing, copied, 0));
        run_twice(computing, out, in);
    }
}

static void default_stream_does_not_wait() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount), *host = pinned_zeros();
    need(cudaMemcpyAsync(in, host, kCount * sizeof(int), cudaMemcpyHostToDevice, new_stream()));
    run_twice(nullptr, out, in);
}

static void host_waits_for_the_other_stream() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream();
    run_fill(first, in);
    need(cudaStreamSynchronize(second));
    run_twice(second, out, in);
}

// The memory is freed while another stream may still read it.
static void freed_too_early() {
    int* in;
    const cudaStream_t first = new_stream(), second = new_stream();
    const cudaEvent_t filled = new_event();
    need(cudaMallocAsync(&in, kCount * sizeof(int), first));
    run_fill(first, in);
    need(cudaEventRecord(filled, first));
    need(cudaStreamWaitEvent(second, filled, 0));
    run_fill(second, in);
    need(cudaFreeAsync(in, first));
}

// Each of two graphs records an event, but the second stream waits for the wrong one.
static cudaGraphExec_t graph_with_event(cudaStream_t stream, int* data, cudaEvent_t event) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    run_fill(stream, data);
    need(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
    need(cudaStreamEndCapture(stream, &graph));
    need(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}
static void event_of_the_other_graph() {
    int *in = device_zeros<int>(kCount), *out = device_zeros<int>(kCount);
    const cudaStream_t first = new_stream(), second = new_stream(), third = new_stream();
    const cudaEvent_t filled = new_event(), unrelated = new_event();
    const cudaGraphExec_t graph = graph_with_event(first, in, filled);
    const cudaGraphExec_t other = graph_with_event(third, device_zeros<int>(kCount), unrelated);
    need(cudaGraphLaunch(graph, first));
    need(cudaGraphLaunch(other, third));
    need(cudaStreamWaitEvent(second, unrelated, 0));
    run_twice(second, out, in);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"no_event", no_event},
                        {"event_before_the_work", event_before_the_work},
                        {"wrong_event", wrong_event},
                        {"copy_not_waited_for", copy_not_waited_for},
                        {"overwritten_while_read", overwritten_while_read},
                        {"default_stream_does_not_wait", default_stream_does_not_wait},
                        {"host_waits_for_the_other_stream", host_waits_for_the_other_stream},
                        {"freed_too_early", freed_too_early},
                        {"event_of_the_other_graph", event_of_the_other_graph},
                    });
}
