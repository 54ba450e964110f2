// Tests copy, memset, host, memory and conditional nodes of driver API graphs, and their updates.
// nvcc: -lcuda
// expect: copied row: 4 5
// expect: copied row after an update: 8 9
// expect: memset: 7, after an update: 8
// expect: host function: 1, after an update: 10
// expect: disabled node: 0, enabled node: 3
// expect: memory allocated by the graph: 12
// expect: a loop ran 5 times
// expect: instantiation flags: 1
// expect: destructor calls for the user object: 1
#include <cuda_runtime.h>

#include "driver_check.h"

__global__ void count(CUgraphConditionalHandle handle, int* counter, int end) {
    if (++*counter == end) cudaGraphSetConditional(handle, 0);
}
__global__ void set(int* to, int value) {
    *to = value;
}

static CUdeviceptr device;  // an array of 16 ints
static CUgraph graph;

static int value_at(int index) {
    int value = -1;
    need(cuMemcpyDtoH(&value, device + index * sizeof value, sizeof value));
    return value;
}

static CUgraphExec instantiate(unsigned long long flags = 0) {
    CUgraphExec executable;
    need(cuGraphInstantiate(&executable, graph, flags));
    return executable;
}

static void run(CUgraphExec executable) {
    need(cuGraphLaunch(executable, nullptr));
    need(cuCtxSynchronize());
}

template <class Kernel>
static CUgraphNode add_kernel(CUgraph to, CUgraphNode after, Kernel kernel, void** arguments) {
    CUDA_KERNEL_NODE_PARAMS parameters = {};
    cudaFunction_t function;
    cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(kernel));
    parameters.func = function;
    parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = arguments;
    CUgraphNode node;
    need(cuGraphAddKernelNode(&node, to, &after, after ? 1 : 0, &parameters));
    return node;
}

static void copies(CUcontext context) {
    int from[4][4];
    for (int i = 0; i < 16; ++i) from[i / 4][i % 4] = i;
    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = from;
    copy.srcPitch = sizeof from[0];
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = device;
    copy.WidthInBytes = 2 * sizeof(int);
    copy.Height = copy.Depth = 1;
    CUgraphNode node;
    need(cuGraphCreate(&graph, 0));
    need(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context));
    CUgraphExec executable = instantiate();
    run(executable);
    std::printf("copied row: %d %d\n", value_at(0), value_at(1));
    copy.srcY = 2;
    need(cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context));
    run(executable);
    std::printf("copied row after an update: %d %d\n", value_at(0), value_at(1));
    need(cuGraphExecDestroy(executable));
    need(cuGraphDestroy(graph));
}

static void CUDA_CB add_one(void* data) {
    *static_cast<int*>(data) += 1;
}
static void CUDA_CB make_ten(void* data) {
    *static_cast<int*>(data) = 10;
}

static void changes(CUcontext context) {
    CUDA_MEMSET_NODE_PARAMS fill = {};
    fill.dst = device;
    fill.elementSize = 4;
    fill.value = 7;
    fill.width = fill.height = 1;
    int seen = 0;
    CUDA_HOST_NODE_PARAMS host = {add_one, &seen};
    CUgraphNode fill_node, host_node;
    need(cuGraphCreate(&graph, 0));
    need(cuGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &fill, context));
    need(cuGraphAddHostNode(&host_node, graph, &fill_node, 1, &host));
    CUgraphExec executable = instantiate();
    run(executable);
    const int first_fill = value_at(0), first_seen = seen;
    fill.value = 8;
    host.fn = make_ten;
    need(cuGraphExecMemsetNodeSetParams(executable, fill_node, &fill, context));
    need(cuGraphExecHostNodeSetParams(executable, host_node, &host));
    run(executable);
    std::printf("memset: %d, after an update: %d\n", first_fill, value_at(0));
    std::printf("host function: %d, after an update: %d\n", first_seen, seen);
    need(cuGraphExecDestroy(executable));
    need(cuGraphDestroy(graph));

    int value = 3;
    void* arguments[] = {&device, &value};
    need(cuGraphCreate(&graph, 0));
    CUgraphNode node = add_kernel(graph, nullptr, set, arguments);
    executable = instantiate();
    need(cuMemsetD32(device, 0, 1));
    need(cuGraphNodeSetEnabled(executable, node, 0));
    run(executable);
    const int disabled = value_at(0);
    need(cuGraphNodeSetEnabled(executable, node, 1));
    run(executable);
    std::printf("disabled node: %d, enabled node: %d\n", disabled, value_at(0));
    need(cuGraphExecDestroy(executable));
    need(cuGraphDestroy(graph));
}

static void memory() {
    CUDA_MEM_ALLOC_NODE_PARAMS allocation = {};
    allocation.bytesize = sizeof(int);
    allocation.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    allocation.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUgraphNode allocate, copy, free_node;
    need(cuGraphCreate(&graph, 0));
    need(cuGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &allocation));
    int value = 12, host = 0;
    void* arguments[] = {&allocation.dptr, &value};
    CUgraphNode kernel = add_kernel(graph, allocate, set, arguments);
    CUDA_MEMCPY3D back = {};
    back.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    back.srcDevice = allocation.dptr;
    back.dstMemoryType = CU_MEMORYTYPE_HOST;
    back.dstHost = &host;
    back.WidthInBytes = sizeof(int);
    back.Height = back.Depth = 1;
    CUcontext context;
    need(cuCtxGetCurrent(&context));
    need(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &back, context));
    need(cuGraphAddMemFreeNode(&free_node, graph, &copy, 1, allocation.dptr));
    CUgraphExec executable = instantiate();
    run(executable);
    std::printf("memory allocated by the graph: %d\n", host);
    need(cuGraphExecDestroy(executable));
    need(cuGraphDestroy(graph));
}

static void loop(CUcontext context) {
    CUgraphConditionalHandle handle;
    need(cuGraphCreate(&graph, 0));
    need(cuGraphConditionalHandleCreate(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraphNodeParams parameters = {};
    parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    parameters.conditional.handle = handle;
    parameters.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    parameters.conditional.size = 1;
    parameters.conditional.ctx = context;
    CUgraphNode node;
    need(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
    int end = 5;
    void* arguments[] = {&handle, &device, &end};
    add_kernel(parameters.conditional.phGraph_out[0], nullptr, count, arguments);
    need(cuMemsetD32(device, 0, 1));
    CUgraphExec executable = instantiate();
    run(executable);
    std::printf("a loop ran %d times\n", value_at(0));
    need(cuGraphExecDestroy(executable));
    need(cuGraphDestroy(graph));
}

static void objects() {
    int destroyed = 0;
    cuuint64_t flags = 9;
    CUuserObject object;
    need(cuGraphCreate(&graph, 0));
    CUgraphExec executable = instantiate(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    need(cuGraphExecGetFlags(executable, &flags));
    std::printf("instantiation flags: %d\n", static_cast<int>(flags));
    need(cuUserObjectCreate(&object, &destroyed, add_one, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    need(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    need(cuGraphExecDestroy(executable));
    need(cuGraphDestroy(graph));
    std::printf("destructor calls for the user object: %d\n", destroyed);
}

int main() {
    const CUcontext context = use_first_device();
    need(cuMemAlloc(&device, 16 * sizeof(int)));
    copies(context);
    changes(context);
    memory();
    loop(context);
    objects();
    need(cuMemFree(device));
}
