// Tests graphs that a program builds node by node: every type of node, edges and clones.
// expect: nodes, roots, edges: 6 1 6
// expect: the last node depends on 2, the first has 2 dependents
// expect: y after one launch: 11
// expect: y after two launches: 22
// expect: the host saw it twice: yes
// expect: a clone runs too: 33
// expect: its node is another: yes
// expect: of the same type: yes
// expect: 2-byte values: 1234 1234
// expect: a child graph runs in its place: 40
// expect: the child's own graph has 1 node
// expect: symbols: 7 9
// expect: an event is recorded by the graph: cudaSuccess
// expect: parameters come back: 1 x 2 blocks of 32, argument 5
// expect: rows of a pitched copy: 4 5 8 9
// expect: user object destroyed with its last graph: 0 0 1
// expect: without the edge its order is free: cudaSuccess
// expect: a node is gone: 5
#include <vector>

#include "api_check.h"

__global__ void add(int* to, const int* a, int b) {
    *to = *a + b;
}
__global__ void fill_grid(int* to, int value) {
    to[blockIdx.y] = value;
}

static int* device;  // an array of 64 ints
static int seen = 0;
__device__ int symbol_in, symbol_out;

static void CUDART_CB look(void* data) {
    seen += *static_cast<int*>(data);
}

static int value_at(int index) {
    int value = -1;
    need(cudaMemcpy(&value, device + index, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, int* to,
                                  const int* a, int b) {
    void* arguments[] = {&to, &a, &b};
    cudaKernelNodeParams parameters = {};
    parameters.func = reinterpret_cast<void*>(add);
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node;
    need(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters));
    return node;
}

static void launch(cudaGraph_t graph, int times = 1) {
    cudaGraphExec_t executable;
    need(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < times; ++i) need(cudaGraphLaunch(executable, nullptr));
    need(cudaDeviceSynchronize());
    need(cudaGraphExecDestroy(executable));
}

/// A graph start -> (left, right) -> join: y = (y + 10) + (x + 1 - x). A host node counts the runs.
struct Diamond {
    cudaGraph_t graph;
    cudaGraphNode_t start, left, right, join, back, host;
    int result = 0;

    Diamond() {
        need(cudaGraphCreate(&graph, 0));
        need(cudaGraphAddEmptyNode(&start, graph, nullptr, 0));
        left = add_kernel(graph, {start}, device + 1, device, 10);
        cudaMemsetParams zero = {};
        zero.dst = device + 2;
        zero.elementSize = 4;
        zero.value = 1;
        zero.width = zero.height = 1;
        need(cudaGraphAddMemsetNode(&right, graph, &start, 1, &zero));
        join = add_kernel(graph, {left, right}, device, device + 1, 1);
        need(cudaGraphAddMemcpyNode1D(&back, graph, &join, 1, &result, device, sizeof(int),
                                      cudaMemcpyDeviceToHost));
        cudaHostNodeParams function = {look, &result};
        need(cudaGraphAddHostNode(&host, graph, &back, 1, &function));
    }
};

static void shapes(const Diamond& d) {
    size_t nodes = 0, roots = 0, edges = 0, before = 0, behind = 0;
    need(cudaGraphGetNodes(d.graph, nullptr, &nodes));
    need(cudaGraphGetRootNodes(d.graph, nullptr, &roots));
    need(cudaGraphGetEdges(d.graph, nullptr, nullptr, nullptr, &edges));
    std::printf("nodes, roots, edges: %zu %zu %zu\n", nodes, roots, edges);
    need(cudaGraphNodeGetDependencies(d.join, nullptr, nullptr, &before));
    need(cudaGraphNodeGetDependentNodes(d.start, nullptr, nullptr, &behind));
    std::printf("the last node depends on %zu, the first has %zu dependents\n", before, behind);
}

static void runs(const Diamond& d) {
    need(cudaMemset(device, 0, 64 * sizeof(int)));
    launch(d.graph);
    std::printf("y after one launch: %d\n", d.result);
    launch(d.graph);
    std::printf("y after two launches: %d\n", d.result);
    fact("the host saw it twice", seen == 33);

    cudaGraph_t clone;
    cudaGraphNode_t twin;
    cudaGraphNodeType type, twin_type;
    need(cudaGraphClone(&clone, d.graph));
    launch(clone);
    std::printf("a clone runs too: %d\n", value_at(0));
    need(cudaGraphNodeFindInClone(&twin, d.join, clone));
    fact("its node is another", twin != d.join);
    need(cudaGraphNodeGetType(d.join, &type));
    need(cudaGraphNodeGetType(twin, &twin_type));
    fact("of the same type", type == twin_type && type == cudaGraphNodeTypeKernel);
    need(cudaGraphDestroy(clone));
}

static void fills() {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    need(cudaGraphCreate(&graph, 0));
    cudaMemsetParams shorts = {};
    shorts.dst = device + 3;
    shorts.elementSize = 2;
    shorts.value = 1234;
    shorts.width = 2;
    shorts.height = 1;
    need(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &shorts));
    launch(graph);
    std::printf("2-byte values: %d %d\n", value_at(3) & 0xffff, value_at(3) >> 16);
    need(cudaGraphDestroy(graph));
}

static void children() {
    cudaGraph_t child, parent, own;
    cudaGraphNode_t node;
    need(cudaGraphCreate(&child, 0));
    need(cudaGraphCreate(&parent, 0));
    add_kernel(child, {}, device + 5, device + 4, 10);
    cudaGraphNode_t first = add_kernel(parent, {}, device + 4, device + 4, 20);
    need(cudaGraphAddChildGraphNode(&node, parent, &first, 1, child));
    add_kernel(parent, {node}, device + 6, device + 5, 10);
    need(cudaMemset(device + 4, 0, sizeof(int)));
    need(cudaGraphDestroy(child));  // the node owns a copy of the child
    launch(parent);
    std::printf("a child graph runs in its place: %d\n", value_at(6));
    size_t count = 0;
    need(cudaGraphChildGraphNodeGetGraph(node, &own));
    need(cudaGraphGetNodes(own, nullptr, &count));
    std::printf("the child's own graph has %zu node\n", count);
    need(cudaGraphDestroy(parent));
}

static void symbols() {
    cudaGraph_t graph;
    cudaGraphNode_t to, from;
    int seven = 7, nine = 9, got_in = 0, got_out = 0;
    need(cudaMemcpyToSymbol(symbol_out, &nine, sizeof nine));
    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, symbol_in, &seven, sizeof seven, 0,
                                        cudaMemcpyHostToDevice));
    need(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, &got_out, symbol_out,
                                          sizeof got_out, 0, cudaMemcpyDeviceToHost));
    cudaEvent_t event;
    cudaGraphNode_t record, wait;
    need(cudaEventCreate(&event));
    need(cudaGraphAddEventRecordNode(&record, graph, &from, 1, event));
    need(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    launch(graph);
    need(cudaMemcpyFromSymbol(&got_in, symbol_in, sizeof got_in));
    std::printf("symbols: %d %d\n", got_in, got_out);
    result("an event is recorded by the graph", cudaEventSynchronize(event));
    need(cudaEventDestroy(event));
    need(cudaGraphDestroy(graph));
}

/// Adds a kernel node with cudaGraphAddNode, which must copy the kernel's arguments.
static void any_node() {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    need(cudaGraphCreate(&graph, 0));
    {
        int value = 5;
        int* to = device + 8;
        void* arguments[] = {&to, &value};
        cudaGraphNodeParams parameters = {};
        parameters.type = cudaGraphNodeTypeKernel;
        parameters.kernel.func = reinterpret_cast<void*>(fill_grid);
        parameters.kernel.gridDim = dim3(1, 2);
        parameters.kernel.blockDim = dim3(32);
        parameters.kernel.kernelParams = arguments;
        need(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
        value = 6;
    }
    cudaKernelNodeParams got = {};
    need(cudaGraphKernelNodeGetParams(node, &got));
    std::printf("parameters come back: %u x %u blocks of %u, argument %d\n", got.gridDim.x,
                got.gridDim.y, got.blockDim.x, *static_cast<int*>(got.kernelParams[1]));
    need(cudaGraphDestroy(graph));
}

static void boxes() {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    int from[4][4], to[4];
    for (int i = 0; i < 16; ++i) from[i / 4][i % 4] = i;
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(from, sizeof from[0], 4, 4);
    box.srcPos = make_cudaPos(0, 1, 0);
    box.dstPtr = make_cudaPitchedPtr(device + 16, 2 * sizeof(int), 2, 2);
    box.extent = make_cudaExtent(2 * sizeof(int), 2, 1);
    box.kind = cudaMemcpyHostToDevice;
    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &box));
    launch(graph);
    need(cudaMemcpy(to, device + 16, sizeof to, cudaMemcpyDeviceToHost));
    std::printf("rows of a pitched copy: %d %d %d %d\n", to[0], to[1], to[2], to[3]);
    need(cudaGraphDestroy(graph));
}

static int destroyed = 0;
static void CUDART_CB on_destroy(void*) {
    ++destroyed;
}

static void user_objects() {
    cudaUserObject_t object;
    cudaGraph_t graph, clone;
    need(cudaUserObjectCreate(&object, nullptr, on_destroy, 1, cudaUserObjectNoDestructorSync));
    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    const int at_first = destroyed;
    need(cudaGraphClone(&clone, graph));
    need(cudaGraphDestroy(graph));
    const int with_clone = destroyed;
    need(cudaGraphDestroy(clone));
    std::printf("user object destroyed with its last graph: %d %d %d\n", at_first, with_clone,
                destroyed);
}

static void edges_go(Diamond& d) {
    result("without the edge its order is free",
           cudaGraphRemoveDependencies(d.graph, &d.right, &d.join, nullptr, 1));
    need(cudaGraphDestroyNode(d.host));
    size_t nodes = 0;
    need(cudaGraphGetNodes(d.graph, nullptr, &nodes));
    std::printf("a node is gone: %zu\n", nodes);
}

int main() {
    need(cudaMalloc(&device, 64 * sizeof(int)));
    Diamond diamond;
    shapes(diamond);
    runs(diamond);
    fills();
    children();
    symbols();
    any_node();
    boxes();
    user_objects();
    edges_go(diamond);
    need(cudaGraphDestroy(diamond.graph));
    need(cudaFree(device));
}
