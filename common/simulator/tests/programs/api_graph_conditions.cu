// Tests conditional nodes: a kernel selects which body graph runs, if any, or how often it runs.
// expect: a while loop ran 5 times
// expect: and again: 5 times
// expect: if, taken: 10
// expect: if, not taken: 0
// expect: else: 20
// expect: switch to the third of three: 30
// expect: switch to none: 0
// expect: a body that was captured: 3
// expect: a loop within a loop: 12
// expect: a handle that nobody uses: cudaErrorInvalidValue, said so: yes
// expect: a handle of another graph: cudaErrorInvalidValue
// expect: three bodies for an if: cudaErrorInvalidValue
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphAddNode
#include "api_check.h"

/// Increments `*counter`, and ends the loop when the counter reaches `end`.
__global__ void count(cudaGraphConditionalHandle handle, int* counter, int end) {
    if (++*counter == end) cudaGraphSetConditional(handle, 0);
}
__global__ void choose(cudaGraphConditionalHandle handle, unsigned value) {
    cudaGraphSetConditional(handle, value);
}
__global__ void reset(cudaGraphConditionalHandle handle, int* counter) {
    *counter = 0;
    cudaGraphSetConditional(handle, 1);
}
__global__ void add(int* to, int value) {
    *to += value;
}

static int* device;  // an array of 4 ints

static int value_at(int index) {
    int value = -1;
    need(cudaMemcpy(&value, device + index, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

template <class... Parameters, class... Arguments>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after,
                                  void (*kernel)(Parameters...), Arguments... given) {
    void* arguments[] = {&given...};
    cudaKernelNodeParams parameters = {};
    parameters.func = reinterpret_cast<void*>(kernel);
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node;
    need(cudaGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &parameters));
    return node;
}

static cudaError_t try_conditional(cudaGraph_t graph, cudaGraphNode_t after,
                                   cudaGraphConditionalHandle handle,
                                   cudaGraphConditionalNodeType type, unsigned size,
                                   cudaGraph_t*& bodies) {
    cudaGraphNodeParams parameters = {};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = size;
    cudaGraphNode_t node;
    const cudaError_t error =
        cudaGraphAddNode(&node, graph, &after, nullptr, after ? 1 : 0, &parameters);
    bodies = parameters.conditional.phGraph_out;
    return error;
}

static cudaGraph_t* add_conditional(cudaGraph_t graph, cudaGraphNode_t after,
                                    cudaGraphConditionalHandle handle,
                                    cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraph_t* bodies;
    need(try_conditional(graph, after, handle, type, size, bodies));
    return bodies;
}

static cudaGraph_t new_graph() {
    cudaGraph_t graph;
    need(cudaGraphCreate(&graph, 0));
    return graph;
}

static cudaGraphConditionalHandle new_handle(cudaGraph_t graph, unsigned value = 0) {
    cudaGraphConditionalHandle handle;
    need(cudaGraphConditionalHandleCreate(&handle, graph, value, cudaGraphCondAssignDefault));
    return handle;
}

/// Runs the graph. Returns device[0].
static int run(cudaGraphExec_t executable) {
    need(cudaMemset(device, 0, 4 * sizeof(int)));
    need(cudaGraphLaunch(executable, nullptr));
    need(cudaDeviceSynchronize());
    return value_at(0);
}

static int run_once(cudaGraph_t graph) {
    cudaGraphExec_t executable;
    need(cudaGraphInstantiate(&executable, graph, 0));
    const int value = run(executable);
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));
    return value;
}

static void loops() {
    cudaGraph_t graph = new_graph();
    const auto handle = new_handle(graph, 1);
    cudaGraph_t* body = add_conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
    add_kernel(body[0], nullptr, count, handle, device, 5);
    cudaGraphExec_t executable;
    need(cudaGraphInstantiate(&executable, graph, 0));
    std::printf("a while loop ran %d times\n", run(executable));
    std::printf("and again: %d times\n", run(executable));
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));
}

/// Runs a conditional node whose kernel selects `value`. Body i adds 10 * (i + 1) to the result.
static int chosen(cudaGraphConditionalNodeType type, unsigned size, unsigned value) {
    cudaGraph_t graph = new_graph();
    const auto handle = new_handle(graph);
    const cudaGraphNode_t first = add_kernel(graph, nullptr, choose, handle, value);
    cudaGraph_t* bodies = add_conditional(graph, first, handle, type, size);
    for (unsigned i = 0; i < size; ++i)
        add_kernel(bodies[i], nullptr, add, device, static_cast<int>(10 * (i + 1)));
    return run_once(graph);
}

static void captured_body() {
    cudaGraph_t graph = new_graph(), same;
    const auto handle = new_handle(graph, 1);
    cudaGraph_t* body = add_conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
    cudaStream_t stream;
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    need(cudaStreamBeginCaptureToGraph(stream, body[0], nullptr, nullptr, 0,
                                       cudaStreamCaptureModeRelaxed));
    count<<<1, 1, 0, stream>>>(handle, device, 3);
    need(cudaStreamEndCapture(stream, &same));
    need(cudaStreamDestroy(stream));
    std::printf("a body that was captured: %d\n", run_once(graph));
}

/// Runs an inner loop of 4 iterations in an outer loop of 3, and counts iterations in device[0].
static void nested() {
    cudaGraph_t graph = new_graph();
    const auto outer = new_handle(graph, 1);
    cudaGraph_t* turn = add_conditional(graph, nullptr, outer, cudaGraphCondTypeWhile, 1);
    const auto inner = new_handle(turn[0], 1);
    const cudaGraphNode_t again = add_kernel(turn[0], nullptr, reset, inner, device + 1);
    cudaGraph_t* body = add_conditional(turn[0], again, inner, cudaGraphCondTypeWhile, 1);
    const cudaGraphNode_t counted = add_kernel(body[0], nullptr, add, device, 1);
    add_kernel(body[0], counted, count, inner, device + 1, 4);
    const cudaGraphNode_t last = add_kernel(turn[0], again, count, outer, device + 2, 3);
    (void)last;
    std::printf("a loop within a loop: %d\n", run_once(graph));
}

static void mistakes() {
    cudaGraph_t graph = new_graph(), other = new_graph(), *bodies;
    cudaGraphExec_t executable;
    const auto handle = new_handle(graph);
    cudaGraphInstantiateParams parameters = {};
    const cudaError_t error = cudaGraphInstantiateWithParams(&executable, graph, &parameters);
    std::printf(
        "a handle that nobody uses: %s, said so: %s\n", cudaGetErrorName(error),
        parameters.result_out == cudaGraphInstantiateConditionalHandleUnused ? "yes" : "NO");
    cudaGetLastError();
    result("a handle of another graph",
           try_conditional(other, nullptr, handle, cudaGraphCondTypeIf, 1, bodies));
    result("three bodies for an if",
           try_conditional(graph, nullptr, handle, cudaGraphCondTypeIf, 3, bodies));
    need(cudaGraphDestroy(graph));
    need(cudaGraphDestroy(other));
}

int main() {
    need(cudaMalloc(&device, 4 * sizeof(int)));
    loops();
    std::printf("if, taken: %d\n", chosen(cudaGraphCondTypeIf, 1, 7));
    std::printf("if, not taken: %d\n", chosen(cudaGraphCondTypeIf, 1, 0));
    std::printf("else: %d\n", chosen(cudaGraphCondTypeIf, 2, 0));
    std::printf("switch to the third of three: %d\n", chosen(cudaGraphCondTypeSwitch, 3, 2));
    std::printf("switch to none: %d\n", chosen(cudaGraphCondTypeSwitch, 3, 3));
    captured_body();
    nested();
    mistakes();
}
