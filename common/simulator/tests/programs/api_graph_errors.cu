// Tests invalid graphs: cycles, missing edges, nodes of other graphs, invalid operations. The call
// that adds the node or edge returns the error, or the call that instantiates the graph does.
// expect: to itself: cudaErrorInvalidValue
// expect: the same edge again: cudaErrorInvalidValue
// expect: an edge that is not there: cudaErrorInvalidValue
// expect: a node of another graph: cudaErrorInvalidValue
// expect: a dependency given twice: cudaErrorInvalidValue
// expect: closing the cycle: cudaSuccess
// expect: a cycle: cudaErrorInvalidValue
// expect: its reason is the structure: yes, a node of it: yes
// expect: a block of 2048 threads: cudaErrorInvalidValue
// expect: an argument list that is missing: cudaErrorInvalidValue
// expect: a copy beyond the allocation: cudaErrorInvalidValue
// expect: a fill of 3-byte values: cudaErrorInvalidValue
// expect: no host function: cudaErrorInvalidValue
// expect: parameters of another kind: cudaErrorInvalidValue
// expect: parameters for the wrong node: cudaErrorInvalidValue
// expect: unknown flags: cudaErrorInvalidValue
// expect: a kernel's fault comes later: cudaSuccess cudaErrorIllegalAddress
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphAddDependencies
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphRemoveDependencies
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphAddEmptyNode
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphInstantiate
// expect-stderr: The graph has a cycle
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphAddKernelNode
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphAddMemcpyNode1D
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphAddMemsetNode
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphAddHostNode
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphExecMemsetNodeSetParams
// expect-stderr: The node does not belong to the instantiated graph.
// expect-stderr: memcheck
#include "api_check.h"

__global__ void write(int* to, int at) {
    to[at] = 1;
}

static int* device;  // an array of 4 ints
static cudaGraph_t graph, other;
static cudaGraphNode_t a, b, c;

static void edges() {
    cudaGraphNode_t node, twice[] = {a, a};
    result("to itself", cudaGraphAddDependencies(graph, &a, &a, nullptr, 1));
    need(cudaGraphAddDependencies(graph, &a, &b, nullptr, 1));
    result("the same edge again", cudaGraphAddDependencies(graph, &a, &b, nullptr, 1));
    result("an edge that is not there", cudaGraphRemoveDependencies(graph, &b, &a, nullptr, 1));
    result("a node of another graph", cudaGraphAddEmptyNode(&node, other, &a, 1));
    result("a dependency given twice", cudaGraphAddEmptyNode(&node, graph, twice, 2));
}

static void cycle() {
    cudaGraphExec_t executable;
    need(cudaGraphAddDependencies(graph, &b, &c, nullptr, 1));
    result("closing the cycle", cudaGraphAddDependencies(graph, &c, &a, nullptr, 1));
    result("a cycle", cudaGraphInstantiate(&executable, graph, 0));
    cudaGraphInstantiateParams parameters = {};
    cudaGraphInstantiateWithParams(&executable, graph, &parameters);
    cudaGetLastError();
    const bool in_cycle =
        parameters.errNode_out == a || parameters.errNode_out == b || parameters.errNode_out == c;
    std::printf("its reason is the structure: %s, a node of it: %s\n",
                parameters.result_out == cudaGraphInstantiateInvalidStructure ? "yes" : "NO",
                in_cycle ? "yes" : "NO");
    need(cudaGraphRemoveDependencies(graph, &c, &a, nullptr, 1));
}

static cudaKernelNodeParams kernel(void** arguments) {
    cudaKernelNodeParams parameters = {};
    parameters.func = reinterpret_cast<void*>(write);
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    return parameters;
}

static void nodes() {
    cudaGraphNode_t node;
    int at = 0, host[8] = {};
    void* arguments[] = {&device, &at};
    cudaKernelNodeParams wrong = kernel(arguments);
    wrong.blockDim = dim3(2048);
    result("a block of 2048 threads", cudaGraphAddKernelNode(&node, graph, nullptr, 0, &wrong));
    wrong = kernel(nullptr);
    result("an argument list that is missing",
           cudaGraphAddKernelNode(&node, graph, nullptr, 0, &wrong));
    result("a copy beyond the allocation",
           cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, device, host, sizeof host,
                                    cudaMemcpyHostToDevice));
    cudaMemsetParams fill = {};
    fill.dst = device;
    fill.elementSize = 3;
    fill.width = fill.height = 1;
    result("a fill of 3-byte values", cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
    cudaHostNodeParams nobody = {};
    result("no host function", cudaGraphAddHostNode(&node, graph, nullptr, 0, &nobody));
}

static void executables() {
    cudaGraphExec_t executable;
    cudaMemsetParams fill = {};
    fill.dst = device;
    fill.elementSize = 1;
    fill.width = fill.height = 1;
    need(cudaGraphInstantiate(&executable, graph, 0));
    result("parameters of another kind", cudaGraphExecMemsetNodeSetParams(executable, a, &fill));
    cudaGraphNode_t elsewhere;
    need(cudaGraphAddMemcpyNode1D(&elsewhere, other, nullptr, 0, device, device + 1, 4,
                                  cudaMemcpyDeviceToDevice));
    result("parameters for the wrong node",
           cudaGraphExecMemcpyNodeSetParams1D(executable, elsewhere, device, device + 1, 4,
                                              cudaMemcpyDeviceToDevice));
    need(cudaGraphExecDestroy(executable));
    result("unknown flags", cudaGraphInstantiate(&executable, graph, 1024));
}

static void fault() {
    int* nowhere = nullptr;
    int at = 4;
    void* arguments[] = {&nowhere, &at};
    cudaKernelNodeParams beyond = kernel(arguments);
    cudaGraphNode_t node;
    cudaGraphExec_t executable;
    need(cudaGraphAddKernelNode(&node, graph, &c, 1, &beyond));
    need(cudaGraphInstantiate(&executable, graph, 0));
    const cudaError_t launched = cudaGraphLaunch(executable, nullptr);
    std::printf("a kernel's fault comes later: %s %s\n", cudaGetErrorName(launched),
                cudaGetErrorName(cudaDeviceSynchronize()));
}

int main() {
    need(cudaMalloc(&device, 4 * sizeof(int)));
    need(cudaMemset(device, 0, 4 * sizeof(int)));
    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphCreate(&other, 0));
    need(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
    need(cudaGraphAddEmptyNode(&b, graph, nullptr, 0));
    need(cudaGraphAddEmptyNode(&c, graph, nullptr, 0));
    edges();
    cycle();
    nodes();
    executables();
    fault();
}
