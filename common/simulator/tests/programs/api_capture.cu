// Tests stream capture: captured work runs only when the graph is launched, events fork and join
// streams, and a program may inspect and change the captured graph.
// expect: before the launch nothing ran: 0
// expect: after it: 3
// expect: again: 6
// expect: capturing: yes, then: no
// expect: nodes: memset kernel memcpy host
// expect: the host node ran: 2
// expect: a fork and a join: 111
// expect: edges of the fork: 4
// expect: the second stream took part: yes
// expect: a child is added to what is captured: yes, the next node waits for it: 222
// expect: the next node waits for 1
// expect: an added dependency: 2
// expect: ids differ: yes
// expect: captured into a given graph: yes 2
// expect: ... and again: 3
// expect: a library's stream captured with relaxed mode: cudaSuccess
// expect: an external event is recorded by the graph: yes
// expect: copies of rows: 8 9
// expect: work in another stream goes on meanwhile: 77
// expect-stderr: apicheck: cudaErrorInvalidResourceHandle from cudaEventElapsedTime
#include "api_check.h"

__global__ void add(int* to, int value) {
    *to += value;
}
__global__ void sum(int* to, const int* a, const int* b) {
    *to = *a + *b + 1;
}

static int* device;  // an array of 16 ints
static int host_runs = 0;

static void CUDART_CB count_run(void*) {
    ++host_runs;
}

static int value_at(int index) {
    int value = -1;
    need(cudaMemcpy(&value, device + index, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static cudaGraph_t end(cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    need(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static bool is_capturing(cudaStream_t stream) {
    cudaStreamCaptureStatus status;
    need(cudaStreamIsCapturing(stream, &status));
    return status == cudaStreamCaptureStatusActive;
}

static size_t count_nodes(cudaGraph_t graph) {
    size_t count = 0;
    need(cudaGraphGetNodes(graph, nullptr, &count));
    return count;
}

static const char* type_name(cudaGraphNode_t node) {
    cudaGraphNodeType type;
    need(cudaGraphNodeGetType(node, &type));
    const char* names[] = {"kernel", "memcpy", "memset", "host", "child", "empty"};
    return type < 6 ? names[type] : "other";
}

static void launch(cudaGraph_t graph) {
    cudaGraphExec_t executable;
    need(cudaGraphInstantiate(&executable, graph, 0));
    need(cudaGraphLaunch(executable, nullptr));
    need(cudaDeviceSynchronize());
    need(cudaGraphExecDestroy(executable));
}

static void one_stream(cudaStream_t stream) {
    static int host = 0;
    need(cudaMemset(device, 0, 16 * sizeof(int)));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(device, 3);
    const bool during = is_capturing(stream);
    cudaGraph_t graph = end(stream);
    std::printf("before the launch nothing ran: %d\n", value_at(0));
    launch(graph);
    std::printf("after it: %d\n", value_at(0));
    launch(graph);
    std::printf("again: %d\n", value_at(0));
    std::printf("capturing: %s, then: %s\n", during ? "yes" : "no",
                is_capturing(stream) ? "yes" : "no");
    need(cudaGraphDestroy(graph));

    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    need(cudaMemsetAsync(device, 0, sizeof(int), stream));
    add<<<1, 1, 0, stream>>>(device, 1);
    need(cudaMemcpyAsync(&host, device, sizeof(int), cudaMemcpyDeviceToHost, stream));
    need(cudaLaunchHostFunc(stream, count_run, nullptr));
    graph = end(stream);
    cudaGraphNode_t nodes[4];
    size_t count = 4;
    need(cudaGraphGetNodes(graph, nodes, &count));
    std::printf("nodes:");
    for (size_t i = 0; i < count; ++i) std::printf(" %s", type_name(nodes[i]));
    launch(graph);
    launch(graph);
    std::printf("\nthe host node ran: %d\n", host_runs);
    need(cudaGraphDestroy(graph));
}

/// An executable graph cannot be launched during a capture, but its graph can become a child node.
static void child_in_a_capture(cudaStream_t stream, cudaGraph_t child) {
    cudaStreamCaptureStatus status;
    cudaGraph_t outer;
    cudaGraphNode_t node;
    need(cudaMemset(device, 0, 16 * sizeof(int)));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    need(cudaStreamGetCaptureInfo(stream, &status, nullptr, &outer));
    need(cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, child));
    need(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                             cudaStreamSetCaptureDependencies));
    const bool is_child = *type_name(node) == 'c';
    add<<<1, 1, 0, stream>>>(device + 2, 111);
    outer = end(stream);
    launch(outer);
    std::printf("a child is added to what is captured: %s, the next node waits for it: %d\n",
                is_child ? "yes" : "NO", value_at(2));
    need(cudaGraphDestroy(outer));
}

static void fork_and_join(cudaStream_t stream, cudaStream_t second) {
    cudaEvent_t forked, joined;
    need(cudaEventCreate(&forked));
    need(cudaEventCreate(&joined));
    need(cudaMemset(device, 0, 16 * sizeof(int)));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(device, 10);
    need(cudaEventRecord(forked, stream));
    need(cudaStreamWaitEvent(second, forked));
    const bool takes_part = is_capturing(second);
    add<<<1, 1, 0, second>>>(device + 1, 100);
    add<<<1, 1, 0, stream>>>(device, 0);
    need(cudaEventRecord(joined, second));
    need(cudaStreamWaitEvent(stream, joined));
    sum<<<1, 1, 0, stream>>>(device + 2, device, device + 1);
    cudaGraph_t graph = end(stream);
    launch(graph);
    std::printf("a fork and a join: %d\n", value_at(2));
    size_t edges = 0;
    need(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    std::printf("edges of the fork: %zu\n", edges);
    fact("the second stream took part", takes_part && !is_capturing(second));

    child_in_a_capture(stream, graph);
    need(cudaGraphDestroy(graph));
    need(cudaEventDestroy(forked));
    need(cudaEventDestroy(joined));
}

static void look_at_capture(cudaStream_t stream) {
    cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    const cudaGraphNode_t* after = nullptr;
    size_t count = 0;
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(device, 1);
    need(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &after, nullptr, &count));
    std::printf("the next node waits for %zu\n", count);
    cudaGraphNode_t more;
    need(cudaGraphAddEmptyNode(&more, graph, nullptr, 0));
    need(cudaStreamUpdateCaptureDependencies(stream, &more, nullptr, 1,
                                             cudaStreamAddCaptureDependencies));
    need(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &after, nullptr, &count));
    std::printf("an added dependency: %zu\n", count);
    need(cudaGraphDestroy(end(stream)));
}

static unsigned long long id_of_a_capture(cudaStream_t stream) {
    unsigned long long id = 0;
    cudaStreamCaptureStatus status;
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    need(cudaStreamGetCaptureInfo(stream, &status, &id));
    need(cudaGraphDestroy(end(stream)));
    return id;
}

static void given_graph(cudaStream_t stream) {
    cudaGraph_t graph, same;
    cudaGraphNode_t first;
    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
    need(cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1,
                                       cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(device, 1);
    need(cudaStreamEndCapture(stream, &same));
    std::printf("captured into a given graph: %s %zu\n", same == graph ? "yes" : "NO",
                count_nodes(graph));
    // The program already has the graph, so cudaStreamEndCapture need not return it.
    need(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                       cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(device, 1);
    need(cudaStreamEndCapture(stream, nullptr));
    std::printf("... and again: %zu\n", count_nodes(graph));
    need(cudaGraphDestroy(graph));
}

static void modes(cudaStream_t stream, cudaStream_t second) {
    void* memory = nullptr;
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    result("a library's stream captured with relaxed mode", cudaMalloc(&memory, 16));
    need(cudaGraphDestroy(end(stream)));
    need(cudaFree(memory));

    cudaEvent_t event, before;
    need(cudaEventCreate(&event));
    need(cudaEventCreate(&before));
    need(cudaEventRecord(before, second));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    need(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
    cudaGraph_t graph = end(stream);
    float milliseconds = -1;
    const bool early = cudaEventElapsedTime(&milliseconds, before, event) == cudaSuccess;
    cudaGetLastError();
    launch(graph);
    fact("an external event is recorded by the graph",
         !early && cudaEventElapsedTime(&milliseconds, before, event) == cudaSuccess);
    need(cudaGraphDestroy(graph));
    need(cudaEventDestroy(event));
    need(cudaEventDestroy(before));
}

static void other_work(cudaStream_t stream, cudaStream_t second) {
    const int rows[2][4] = {{8, 0, 0, 0}, {9, 0, 0, 0}};
    need(cudaMemset(device, 0, 16 * sizeof(int)));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    need(cudaMemcpy2DAsync(device + 4, sizeof(int), rows, sizeof rows[0], sizeof(int), 2,
                           cudaMemcpyHostToDevice, stream));
    add<<<1, 1, 0, second>>>(device + 6, 77);
    cudaGraph_t graph = end(stream);
    launch(graph);
    std::printf("copies of rows: %d %d\n", value_at(4), value_at(5));
    std::printf("work in another stream goes on meanwhile: %d\n", value_at(6));
    need(cudaGraphDestroy(graph));
}

int main() {
    cudaStream_t stream, second;
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    need(cudaStreamCreate(&second));
    need(cudaMalloc(&device, 16 * sizeof(int)));
    one_stream(stream);
    fork_and_join(stream, second);
    look_at_capture(stream);
    const unsigned long long first_id = id_of_a_capture(stream);
    fact("ids differ", first_id != 0 && first_id != id_of_a_capture(second));
    given_graph(stream);
    modes(stream, second);
    other_work(stream, second);
    need(cudaStreamDestroy(stream));
    need(cudaStreamDestroy(second));
    need(cudaFree(device));
}
