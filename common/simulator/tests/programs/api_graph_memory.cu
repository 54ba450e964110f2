// Tests memory that a graph allocates (in nodes or captured), and a graph or the program frees.
// expect: nodes: allocate kernel copy free
// expect: what the kernel wrote: 5
// expect: launched again: 5
// expect: in use between launches: 33554432
// expect: ... and was at most 4 bytes or more: yes
// expect: after a trim: 0, kept: 0
// expect: captured: allocate kernel copy free
// expect: what the kernel wrote: 6
// expect: after the launch it is the program's: 7
// expect: a trim leaves what is not freed: 33554432
// expect: a second launch without a free: cudaErrorInvalidValue
// expect: freeing it: cudaSuccess
// expect: and the launch after that: cudaSuccess
// expect: another graph frees it: cudaSuccess
// expect: freed twice: cudaErrorInvalidValue
// expect: with the flag every launch frees first: cudaSuccess cudaSuccess
// expect: two executables at once: cudaErrorNotSupported
// expect: a clone: cudaErrorNotSupported
// expect: an edge of it cannot go: cudaErrorNotSupported
// expect: a free of what a launch left: cudaErrorInvalidValue
// expect: freed twice in one graph: cudaErrorInvalidValue
// expect: memory that no graph allocated: cudaErrorInvalidValue
// expect: the memory of a graph that is gone: cudaSuccess
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphLaunch
// expect-stderr: was never freed;
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaFree
// expect-stderr: apicheck: cudaErrorNotSupported from cudaGraphInstantiate
// expect-stderr: destroy the existing executable
// expect-stderr: apicheck: cudaErrorNotSupported from cudaGraphClone
// expect-stderr: apicheck: cudaErrorNotSupported from cudaGraphRemoveDependencies
// expect-stderr: freed outside of the graph; a node
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphAddMemFreeNode
#include "api_check.h"

__global__ void set(int* to, int value) {
    *to = value;
}

static int host = 0;

static const char* type_name(cudaGraphNode_t node) {
    cudaGraphNodeType type;
    need(cudaGraphNodeGetType(node, &type));
    switch (type) {
        case cudaGraphNodeTypeKernel: return "kernel";
        case cudaGraphNodeTypeMemcpy: return "copy";
        case cudaGraphNodeTypeMemAlloc: return "allocate";
        case cudaGraphNodeTypeMemFree: return "free";
        default: return "other";
    }
}

static void print_nodes(const char* what, cudaGraph_t graph) {
    cudaGraphNode_t nodes[8];
    size_t count = 8;
    need(cudaGraphGetNodes(graph, nodes, &count));
    std::printf("%s:", what);
    for (size_t i = 0; i < count; ++i) std::printf(" %s", type_name(nodes[i]));
    std::printf("\n");
}

static int* add_allocation(cudaGraphNode_t* node, cudaGraph_t graph) {
    cudaMemAllocNodeParams parameters = {};
    parameters.bytesize = sizeof(int);
    parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    parameters.poolProps.location.type = cudaMemLocationTypeDevice;
    need(cudaGraphAddMemAllocNode(node, graph, nullptr, 0, &parameters));
    return static_cast<int*>(parameters.dptr);
}

static cudaGraphNode_t add_set(cudaGraph_t graph, cudaGraphNode_t after, int* to, int value) {
    void* arguments[] = {&to, &value};
    cudaKernelNodeParams parameters = {};
    parameters.func = reinterpret_cast<void*>(set);
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node;
    need(cudaGraphAddKernelNode(&node, graph, &after, 1, &parameters));
    return node;
}

static unsigned long long attribute(cudaGraphMemAttributeType type) {
    unsigned long long value = 99;
    need(cudaDeviceGetGraphMemAttribute(0, type, &value));
    return value;
}

static void by_nodes() {
    cudaGraph_t graph;
    cudaGraphNode_t allocate, copy, free_node;
    cudaGraphExec_t executable;
    need(cudaGraphCreate(&graph, 0));
    int* memory = add_allocation(&allocate, graph);
    const cudaGraphNode_t kernel = add_set(graph, allocate, memory, 5);
    need(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, &host, memory, sizeof(int),
                                  cudaMemcpyDeviceToHost));
    need(cudaGraphAddMemFreeNode(&free_node, graph, &copy, 1, memory));
    print_nodes("nodes", graph);
    need(cudaGraphInstantiate(&executable, graph, 0));
    need(cudaGraphLaunch(executable, nullptr));
    need(cudaDeviceSynchronize());
    std::printf("what the kernel wrote: %d\n", host);
    host = 0;
    need(cudaGraphLaunch(executable, nullptr));
    need(cudaDeviceSynchronize());
    std::printf("launched again: %d\n", host);
    std::printf("in use between launches: %llu\n", attribute(cudaGraphMemAttrUsedMemCurrent));
    fact("... and was at most 4 bytes or more", attribute(cudaGraphMemAttrUsedMemHigh) >= 4);
    need(cudaDeviceGraphMemTrim(0));
    std::printf("after a trim: %llu, kept: %llu\n", attribute(cudaGraphMemAttrUsedMemCurrent),
                attribute(cudaGraphMemAttrReservedMemCurrent));
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));
}

static void by_capture() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int* memory;
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    need(cudaMallocAsync(&memory, sizeof(int), stream));
    set<<<1, 1, 0, stream>>>(memory, 6);
    need(cudaMemcpyAsync(&host, memory, sizeof(int), cudaMemcpyDeviceToHost, stream));
    need(cudaFreeAsync(memory, stream));
    need(cudaStreamEndCapture(stream, &graph));
    print_nodes("captured", graph);
    need(cudaGraphInstantiate(&executable, graph, 0));
    need(cudaGraphLaunch(executable, stream));
    need(cudaStreamSynchronize(stream));
    std::printf("what the kernel wrote: %d\n", host);
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));
    need(cudaStreamDestroy(stream));
}

static void wrong_frees() {
    cudaGraph_t graph;
    cudaGraphNode_t allocate, node;
    int* plain;
    need(cudaGraphCreate(&graph, 0));
    int* memory = add_allocation(&allocate, graph);
    need(cudaGraphAddMemFreeNode(&node, graph, &allocate, 1, memory));
    result("freed twice in one graph", cudaGraphAddMemFreeNode(&node, graph, &allocate, 1, memory));
    need(cudaMalloc(&plain, sizeof(int)));
    result("memory that no graph allocated",
           cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, plain));
    need(cudaFree(plain));
    need(cudaGraphDestroy(graph));
}

static void freed_elsewhere() {
    cudaGraph_t graph, cleaner, clone;
    cudaGraphNode_t allocate, node;
    cudaGraphExec_t executable, second;
    need(cudaGraphCreate(&graph, 0));
    int* memory = add_allocation(&allocate, graph);
    const cudaGraphNode_t kernel = add_set(graph, allocate, memory, 7);
    need(cudaGraphInstantiate(&executable, graph, 0));
    need(cudaGraphLaunch(executable, nullptr));
    need(cudaMemcpy(&host, memory, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("after the launch it is the program's: %d\n", host);
    need(cudaDeviceGraphMemTrim(0));
    std::printf("a trim leaves what is not freed: %llu\n",
                attribute(cudaGraphMemAttrUsedMemCurrent));
    result("a second launch without a free", cudaGraphLaunch(executable, nullptr));
    result("freeing it", cudaFree(memory));
    result("and the launch after that", cudaGraphLaunch(executable, nullptr));

    need(cudaGraphCreate(&cleaner, 0));
    need(cudaGraphAddMemFreeNode(&node, cleaner, nullptr, 0, memory));
    need(cudaGraphInstantiate(&second, cleaner, 0));
    result("another graph frees it", cudaGraphLaunch(second, nullptr));
    result("freed twice", cudaFree(memory));
    need(cudaGraphExecDestroy(second));
    need(cudaGraphDestroy(cleaner));
    need(cudaGraphExecDestroy(executable));

    need(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    const cudaError_t first = cudaGraphLaunch(executable, nullptr);
    std::printf("with the flag every launch frees first: %s %s\n", cudaGetErrorName(first),
                cudaGetErrorName(cudaGraphLaunch(executable, nullptr)));
    result("two executables at once", cudaGraphInstantiate(&second, graph, 0));
    result("a clone", cudaGraphClone(&clone, graph));
    result("an edge of it cannot go",
           cudaGraphRemoveDependencies(graph, &allocate, &kernel, nullptr, 1));
    result("a free of what a launch left",
           cudaGraphAddMemFreeNode(&node, graph, &kernel, 1, memory));
    wrong_frees();
    need(cudaGraphExecDestroy(executable));
    need(cudaGraphDestroy(graph));
    result("the memory of a graph that is gone", cudaFree(memory));
}

int main() {
    by_nodes();
    by_capture();
    freed_elsewhere();
}
