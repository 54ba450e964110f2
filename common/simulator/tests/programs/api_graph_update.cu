// Tests changes to executable graphs: single nodes, disabled nodes, updates from another graph.
// expect: as built: 5
// expect: the copy that runs was changed: 7
// expect: the graph was not: 5
// expect: a change of the graph needs a new executable: 7 9
// expect: a fill was changed: 42
// expect: a copy was changed: 8
// expect: a host function was changed: 1
// expect: disabled: yes, and nothing was added: 0
// expect: enabled again: 7
// expect: a child was changed: 6
// expect: updated as a whole: 20
// expect: another function: 21
// expect: one node more: cudaErrorGraphExecUpdateFailure, topology: yes
// expect: another edge: cudaErrorGraphExecUpdateFailure, topology: yes
// expect: another type: cudaErrorGraphExecUpdateFailure, type: yes, that node: yes
// expect: it still runs as before: 21
// expect: cooperative as it was set: yes
// expect: captured again and updated, in a loop: 60
#include "api_check.h"

__global__ void add(int* to, int value) {
    *to += value;
}
__global__ void add_one_more(int* to, int value) {
    *to += value + 1;
}

static int* device;  // an array of 4 ints
static int host_calls = 0;
static void CUDART_CB nothing(void*) {}
static void CUDART_CB count_call(void*) {
    ++host_calls;
}

static int value_at(int index) {
    int value = -1;
    need(cudaMemcpy(&value, device + index, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/// Runs the graph. Returns device[0].
static int run(cudaGraphExec_t executable) {
    need(cudaMemset(device, 0, sizeof(int)));
    need(cudaGraphLaunch(executable, nullptr));
    need(cudaDeviceSynchronize());
    return value_at(0);
}

struct KernelParameters {
    int value;
    void* arguments[2];
    cudaKernelNodeParams parameters = {};
    explicit KernelParameters(int given, void (*function)(int*, int) = add) : value(given) {
        arguments[0] = &device;
        arguments[1] = &value;
        parameters.func = reinterpret_cast<void*>(function);
        parameters.gridDim = parameters.blockDim = dim3(1);
        parameters.kernelParams = arguments;
    }
    KernelParameters(const KernelParameters&) = delete;
};

static cudaGraphNode_t add_kernel(cudaGraph_t graph, int value, cudaGraphNode_t after = nullptr) {
    KernelParameters kernel(value);
    cudaGraphNode_t node;
    need(cudaGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &kernel.parameters));
    return node;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t executable;
    need(cudaGraphInstantiate(&executable, graph, 0));
    return executable;
}

static void kernels() {
    cudaGraph_t graph;
    need(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t node = add_kernel(graph, 5);
    cudaGraphExec_t executable = instantiate(graph);
    std::printf("as built: %d\n", run(executable));
    KernelParameters seven(7), nine(9);
    need(cudaGraphExecKernelNodeSetParams(executable, node, &seven.parameters));
    std::printf("the copy that runs was changed: %d\n", run(executable));
    cudaGraphExec_t second = instantiate(graph);
    std::printf("the graph was not: %d\n", run(second));
    need(cudaGraphExecDestroy(second));
    need(cudaGraphKernelNodeSetParams(node, &nine.parameters));
    second = instantiate(graph);
    const int first_result = run(executable);
    std::printf("a change of the graph needs a new executable: %d %d\n", first_result, run(second));
    need(cudaGraphExecDestroy(second));
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));
}

static void other_nodes() {
    cudaGraph_t graph;
    cudaGraphNode_t fill_node, copy_node, host_node;
    need(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {};
    fill.dst = device + 1;
    fill.elementSize = 4;
    fill.width = fill.height = 1;
    need(cudaGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &fill));
    int four = 4, eight = 8;
    need(cudaGraphAddMemcpyNode1D(&copy_node, graph, nullptr, 0, device + 2, &four, sizeof(int),
                                  cudaMemcpyHostToDevice));
    cudaHostNodeParams host = {nothing, nullptr};
    need(cudaGraphAddHostNode(&host_node, graph, nullptr, 0, &host));
    cudaGraphExec_t executable = instantiate(graph);
    fill.value = 42;
    host.fn = count_call;
    need(cudaGraphExecMemsetNodeSetParams(executable, fill_node, &fill));
    need(cudaGraphExecMemcpyNodeSetParams1D(executable, copy_node, device + 2, &eight, sizeof(int),
                                            cudaMemcpyHostToDevice));
    need(cudaGraphExecHostNodeSetParams(executable, host_node, &host));
    run(executable);
    std::printf("a fill was changed: %d\n", value_at(1));
    std::printf("a copy was changed: %d\n", value_at(2));
    std::printf("a host function was changed: %d\n", host_calls);
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));
}

static void enabling() {
    cudaGraph_t graph, child;
    need(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t node = add_kernel(graph, 7);
    cudaGraphExec_t executable = instantiate(graph);
    unsigned enabled = 1;
    need(cudaGraphNodeSetEnabled(executable, node, 0));
    need(cudaGraphNodeGetEnabled(executable, node, &enabled));
    std::printf("disabled: %s, and nothing was added: %d\n", enabled ? "NO" : "yes",
                run(executable));
    need(cudaGraphNodeSetEnabled(executable, node, 1));
    std::printf("enabled again: %d\n", run(executable));
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));

    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphCreate(&child, 0));
    add_kernel(child, 5);
    need(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
    executable = instantiate(graph);
    need(cudaGraphDestroy(child));
    need(cudaGraphCreate(&child, 0));
    add_kernel(child, 6);
    need(cudaGraphExecChildGraphNodeSetParams(executable, node, child));
    std::printf("a child was changed: %d\n", run(executable));
    need(cudaGraphDestroy(child));
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));
}

static void report(const char* what, cudaGraphExec_t executable, cudaGraph_t wanted,
                   cudaGraphExecUpdateResult expected, const char* kind) {
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error = cudaGraphExecUpdate(executable, wanted, &info);
    cudaGetLastError();
    std::printf("%s: %s, %s: %s", what, cudaGetErrorName(error), kind,
                info.result == expected ? "yes" : "NO");
    if (expected == cudaGraphExecUpdateErrorNodeTypeChanged)
        std::printf(", that node: %s", info.errorNode ? "yes" : "NO");
    std::printf("\n");
}

static void whole_updates() {
    cudaGraph_t graph, wanted;
    need(cudaGraphCreate(&graph, 0));
    add_kernel(graph, 2, add_kernel(graph, 1));
    cudaGraphExec_t executable = instantiate(graph);

    need(cudaGraphCreate(&wanted, 0));
    cudaGraphNode_t first = add_kernel(wanted, 10), second = add_kernel(wanted, 10, first);
    need(cudaGraphExecUpdate(executable, wanted, nullptr));
    std::printf("updated as a whole: %d\n", run(executable));
    KernelParameters other(10, add_one_more);
    need(cudaGraphKernelNodeSetParams(second, &other.parameters));
    need(cudaGraphExecUpdate(executable, wanted, nullptr));
    std::printf("another function: %d\n", run(executable));

    add_kernel(wanted, 1);
    report("one node more", executable, wanted, cudaGraphExecUpdateErrorTopologyChanged,
           "topology");
    need(cudaGraphDestroy(wanted));
    need(cudaGraphCreate(&wanted, 0));
    add_kernel(wanted, 1);
    add_kernel(wanted, 2);
    report("another edge", executable, wanted, cudaGraphExecUpdateErrorTopologyChanged, "topology");
    need(cudaGraphDestroy(wanted));
    need(cudaGraphCreate(&wanted, 0));
    need(cudaGraphAddEmptyNode(&first, wanted, nullptr, 0));
    add_kernel(wanted, 2, first);
    report("another type", executable, wanted, cudaGraphExecUpdateErrorNodeTypeChanged, "type");
    need(cudaGraphDestroy(wanted));
    std::printf("it still runs as before: %d\n", run(executable));
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));
}

static void attributes() {
    cudaGraph_t graph;
    need(cudaGraphCreate(&graph, 0));
    const cudaGraphNode_t node = add_kernel(graph, 1);
    cudaLaunchAttributeValue value = {}, got = {};
    value.cooperative = 1;
    need(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &value));
    need(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &got));
    fact("cooperative as it was set", got.cooperative == 1);
    need(cudaGraphDestroy(graph));
}

/// The usual loop in programs with graphs: capture, then update or instantiate, then launch.
static void capture_loop() {
    cudaStream_t stream;
    cudaGraphExec_t executable = nullptr;
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    need(cudaMemset(device, 0, sizeof(int)));
    for (int turn = 1; turn <= 3; ++turn) {
        cudaGraph_t graph;
        need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        add<<<1, 1, 0, stream>>>(device, 10 * turn);
        need(cudaStreamEndCapture(stream, &graph));
        if (!executable || cudaGraphExecUpdate(executable, graph, nullptr) != cudaSuccess)
            need(cudaGraphInstantiate(&executable, graph, 0));
        need(cudaGraphDestroy(graph));
        need(cudaGraphLaunch(executable, stream));
        need(cudaStreamSynchronize(stream));
    }
    std::printf("captured again and updated, in a loop: %d\n", value_at(0));
    need(cudaGraphExecDestroy(executable));
    need(cudaStreamDestroy(stream));
}

int main() {
    need(cudaMalloc(&device, 4 * sizeof(int)));
    kernels();
    other_nodes();
    enabling();
    whole_updates();
    attributes();
    capture_loop();
    need(cudaFree(device));
}
