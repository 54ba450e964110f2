// Programs that capture CUDA graphs, build them node by node, update them and nest them.
#include "../cases.h"

#include <atomic>
#include <map>
#include <numeric>
#include <string>

__global__ void add_scalar(int* data, int n, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += value;
}
__global__ void multiply(int* out, const int* a, const int* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[i];
}
__global__ void total(int* out, const int* in, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine += in[i];
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) *out = sum;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec;
    need(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

// clean captured_iteration
static void captured_iteration() {
    const int n = 300;
    int* x = device_zeros<int>(n);
    cudaStream_t stream;
    need(cudaStreamCreate(&stream));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int step = 0; step < 5; ++step) add_scalar<<<3, 128, 0, stream>>>(x, n, step);
    cudaGraph_t graph;
    need(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = instantiate(graph);
    for (int i = 0; i < 4; ++i) need(cudaGraphLaunch(exec, stream));
    need(cudaStreamSynchronize(stream));
    for (const int v : to_host(x, n)) expect(v == 40, "value");
    need(cudaGraphExecDestroy(exec));
    need(cudaGraphDestroy(graph));
    need(cudaStreamDestroy(stream));
}

// clean captured_fork
static void captured_fork() {
    const int n = 200;
    int *a = device_iota<int>(n), *b = device_iota<int>(n), *c = device_zeros<int>(n);
    cudaStream_t left, right;
    cudaEvent_t fork, join;
    need(cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking));
    need(cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking));
    need(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    need(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    cudaGraph_t graph;
    need(cudaStreamBeginCapture(left, cudaStreamCaptureModeThreadLocal));
    need(cudaEventRecord(fork, left));
    need(cudaStreamWaitEvent(right, fork, 0));
    add_scalar<<<2, 128, 0, left>>>(a, n, 1);
    add_scalar<<<2, 128, 0, right>>>(b, n, 2);
    need(cudaEventRecord(join, right));
    need(cudaStreamWaitEvent(left, join, 0));
    multiply<<<2, 128, 0, left>>>(c, a, b, n);
    need(cudaStreamEndCapture(left, &graph));
    cudaGraphExec_t exec = instantiate(graph);
    need(cudaGraphLaunch(exec, left));
    need(cudaGraphLaunch(exec, left));
    need(cudaStreamSynchronize(left));
    const auto got = to_host(c, n);
    for (int i = 0; i < n; ++i) expect(got[i] == (i + 2) * (i + 4), "product");
    size_t nodes = 0;
    need(cudaGraphGetNodes(graph, nullptr, &nodes));
    expect(nodes == 3, "nodes");
}

// clean built_by_hand
// Builds a graph of named nodes. Each node lists the names of the nodes that it depends on.
struct GraphBuilder {
    cudaGraph_t graph;
    std::map<std::string, cudaGraphNode_t> nodes;
    GraphBuilder() { need(cudaGraphCreate(&graph, 0)); }
    std::vector<cudaGraphNode_t> find(const std::vector<std::string>& names) {
        std::vector<cudaGraphNode_t> found;
        for (const auto& n : names) found.push_back(nodes.at(n));
        return found;
    }
    template <class... Args>
    void kernel(const std::string& name, const std::vector<std::string>& after, dim3 grid,
                dim3 block, void (*function)(Args...), Args... args) {
        void* list[] = {&args...};
        cudaKernelNodeParams p = {};
        p.func = reinterpret_cast<void*>(function);
        p.gridDim = grid;
        p.blockDim = block;
        p.kernelParams = list;
        const auto deps = find(after);
        need(cudaGraphAddKernelNode(&nodes[name], graph, deps.data(), deps.size(), &p));
    }
    void copy(const std::string& name, const std::vector<std::string>& after, void* to,
              const void* from, size_t bytes) {
        const auto deps = find(after);
        need(cudaGraphAddMemcpyNode1D(&nodes[name], graph, deps.data(), deps.size(), to, from,
                                      bytes, cudaMemcpyDefault));
    }
};
static void built_by_hand() {
    const int n = 256;
    std::vector<int> in(n);
    std::iota(in.begin(), in.end(), 1);
    int *a = device_zeros<int>(n), *b = device_zeros<int>(n), *c = device_zeros<int>(n), result = 0;
    int* sum = device_zeros<int>(1);
    GraphBuilder g;
    g.copy("upload", {}, a, in.data(), n * sizeof(int));
    g.copy("duplicate", {"upload"}, b, a, n * sizeof(int));
    g.kernel("shift", {"duplicate"}, dim3(2), dim3(128), add_scalar, b, n, 1);
    g.kernel<int*, const int*, const int*, int>("product", {"upload", "shift"}, dim3(2), dim3(128),
                                                multiply, c, a, b, n);
    g.kernel<int*, const int*, int>("sum", {"product"}, dim3(1), dim3(64), total, sum, c, n);
    g.copy("download", {"sum"}, &result, sum, sizeof(int));
    cudaGraphExec_t exec = instantiate(g.graph);
    need(cudaGraphLaunch(exec, nullptr));
    need(cudaStreamSynchronize(nullptr));
    int want = 0;
    for (int i = 1; i <= n; ++i) want += i * (i + 1);
    expect(result == want, "sum of products");
}

// clean parameters_changed_between_launches
static void parameters_changed_between_launches() {
    int n = 100, value = 1;
    int* x = device_zeros<int>(n);
    void* args[] = {&x, &n, &value};
    cudaKernelNodeParams params = {};
    params.func = reinterpret_cast<void*>(add_scalar);
    params.gridDim = dim3(1);
    params.blockDim = dim3(128);
    params.kernelParams = args;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    cudaGraphExec_t exec = instantiate(graph);
    int want = 0;
    for (value = 1; value <= 6; ++value) {
        need(cudaGraphExecKernelNodeSetParams(exec, node, &params));
        need(cudaGraphLaunch(exec, nullptr));
        want += value;
    }
    for (const int v : to_host(x, n)) expect(v == want, "value");
}

// clean captured_again_and_updated
static void captured_again_and_updated() {
    const int n = 128;
    int *x = device_zeros<int>(n), *y = device_zeros<int>(n);
    cudaStream_t stream;
    need(cudaStreamCreate(&stream));
    cudaGraphExec_t exec = nullptr;
    for (int round = 0; round < 3; ++round) {
        need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        add_scalar<<<1, n, 0, stream>>>(round % 2 ? y : x, n, 10 + round);
        cudaGraph_t graph;
        need(cudaStreamEndCapture(stream, &graph));
        cudaGraphExecUpdateResultInfo info;
        if (exec == nullptr || cudaGraphExecUpdate(exec, graph, &info) != cudaSuccess) {
            if (exec != nullptr) need(cudaGraphExecDestroy(exec));
            exec = instantiate(graph);
        }
        need(cudaGraphDestroy(graph));
        need(cudaGraphLaunch(exec, stream));
    }
    need(cudaStreamSynchronize(stream));
    expect(to_host(x, n)[7] == 22 && to_host(y, n)[7] == 11, "values");
}

// clean graph_in_a_graph
static void graph_in_a_graph() {
    const int n = 64;
    int* x = device_zeros<int>(n);
    cudaStream_t stream;
    need(cudaStreamCreate(&stream));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add_scalar<<<1, n, 0, stream>>>(x, n, 2);
    add_scalar<<<1, n, 0, stream>>>(x, n, 3);
    cudaGraph_t child, parent;
    need(cudaStreamEndCapture(stream, &child));
    need(cudaGraphCreate(&parent, 0));
    cudaGraphNode_t first, second;
    need(cudaGraphAddChildGraphNode(&first, parent, nullptr, 0, child));
    need(cudaGraphAddChildGraphNode(&second, parent, &first, 1, child));
    cudaGraphExec_t exec = instantiate(parent);
    need(cudaGraphLaunch(exec, stream));
    need(cudaStreamSynchronize(stream));
    for (const int v : to_host(x, n)) expect(v == 10, "value");
}

// clean host_function_between_kernels
struct Checkpoint {
    const int* data;
    std::vector<int> history;
};
static void CUDART_CB save(void* data) {
    auto* checkpoint = static_cast<Checkpoint*>(data);
    checkpoint->history.push_back(*checkpoint->data);
}
static void host_function_between_kernels() {
    int *x = device_zeros<int>(1), *seen;
    need(cudaMallocHost(&seen, sizeof(int)));
    Checkpoint checkpoint{seen, {}};
    cudaStream_t stream;
    need(cudaStreamCreate(&stream));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 1; i <= 3; ++i) {
        add_scalar<<<1, 32, 0, stream>>>(x, 1, i);
        need(cudaMemcpyAsync(seen, x, sizeof(int), cudaMemcpyDeviceToHost, stream));
        need(cudaLaunchHostFunc(stream, save, &checkpoint));
    }
    cudaGraph_t graph;
    need(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = instantiate(graph);
    need(cudaGraphLaunch(exec, stream));
    need(cudaStreamSynchronize(stream));
    expect(checkpoint.history == std::vector<int>({1, 3, 6}), "checkpoints");
    need(cudaFreeHost(seen));
}

// clean memory_allocated_in_the_graph
static void memory_allocated_in_the_graph() {
    const int n = 150;
    int *x = device_iota<int>(n), *sum = device_zeros<int>(1);
    cudaStream_t stream;
    need(cudaStreamCreate(&stream));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    int* temporary;
    need(cudaMallocAsync(&temporary, n * sizeof(int), stream));
    multiply<<<2, 96, 0, stream>>>(temporary, x, x, n);
    total<<<1, 64, 0, stream>>>(sum, temporary, n);
    need(cudaFreeAsync(temporary, stream));
    cudaGraph_t graph;
    need(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = instantiate(graph);
    for (int i = 0; i < 3; ++i) need(cudaGraphLaunch(exec, stream));
    need(cudaStreamSynchronize(stream));
    expect(to_host(sum, 1)[0] == (n - 1) * n * (2 * n - 1) / 6, "sum of squares");
}

// clean graphs_in_two_streams_with_an_event
static void graphs_in_two_streams_with_an_event() {
    const int n = 128;
    int *x = device_zeros<int>(n), *sum = device_zeros<int>(1);
    cudaStream_t streams[2];
    cudaGraphExec_t execs[2];
    for (int i = 0; i < 2; ++i) {
        need(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        need(cudaStreamBeginCapture(streams[i], cudaStreamCaptureModeGlobal));
        if (i == 0) {
            add_scalar<<<1, n, 0, streams[0]>>>(x, n, 5);
        } else {
            total<<<1, 32, 0, streams[1]>>>(sum, x, n);
        }
        cudaGraph_t graph;
        need(cudaStreamEndCapture(streams[i], &graph));
        execs[i] = instantiate(graph);
    }
    cudaEvent_t added, summed;
    need(cudaEventCreateWithFlags(&added, cudaEventDisableTiming));
    need(cudaEventCreateWithFlags(&summed, cudaEventDisableTiming));
    for (int round = 0; round < 3; ++round) {
        need(cudaGraphLaunch(execs[0], streams[0]));
        need(cudaEventRecord(added, streams[0]));
        need(cudaStreamWaitEvent(streams[1], added, 0));
        need(cudaGraphLaunch(execs[1], streams[1]));
        need(cudaEventRecord(summed, streams[1]));
        need(cudaStreamWaitEvent(streams[0], summed, 0));
    }
    need(cudaStreamSynchronize(streams[1]));
    expect(to_host(sum, 1)[0] == 15 * n, "sum");
}

// clean events_as_nodes
static void events_as_nodes() {
    const int n = 96;
    int* x = device_zeros<int>(n);
    cudaEvent_t event;
    need(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    cudaStream_t first, second;
    need(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    need(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    need(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    add_scalar<<<1, n, 0, first>>>(x, n, 3);
    need(cudaEventRecordWithFlags(event, first, cudaEventRecordExternal));
    cudaGraph_t graph;
    need(cudaStreamEndCapture(first, &graph));
    cudaGraphExec_t exec = instantiate(graph);
    need(cudaGraphLaunch(exec, first));
    need(cudaStreamWaitEvent(second, event, 0));
    add_scalar<<<1, n, 0, second>>>(x, n, 4);
    need(cudaStreamSynchronize(second));
    for (const int v : to_host(x, n)) expect(v == 7, "value");
}

// clean graph_that_waits_for_an_event
static void graph_that_waits_for_an_event() {
    const int n = 96;
    int *x = device_zeros<int>(n), *sum = device_zeros<int>(1);
    cudaEvent_t filled;
    need(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    cudaStream_t first, second;
    need(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    need(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    need(cudaStreamBeginCapture(second, cudaStreamCaptureModeGlobal));
    need(cudaStreamWaitEvent(second, filled, cudaEventWaitExternal));
    total<<<1, 32, 0, second>>>(sum, x, n);
    cudaGraph_t graph;
    need(cudaStreamEndCapture(second, &graph));
    cudaGraphExec_t exec = instantiate(graph);
    add_scalar<<<1, n, 0, first>>>(x, n, 3);
    need(cudaEventRecord(filled, first));
    need(cudaGraphLaunch(exec, second));
    need(cudaStreamSynchronize(second));
    expect(to_host(sum, 1)[0] == 3 * n, "sum");
}

// clean flag_set_by_a_host_node
static void CUDART_CB raise_flag(void* flag) {
    static_cast<std::atomic<bool>*>(flag)->store(true);
}
static void flag_set_by_a_host_node() {
    const int n = 64;
    int* x;
    need(cudaMallocManaged(&x, n * sizeof(int)));
    for (int i = 0; i < n; ++i) x[i] = i;
    std::atomic<bool> done{false};
    cudaStream_t stream;
    need(cudaStreamCreate(&stream));
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    add_scalar<<<1, n, 0, stream>>>(x, n, 7);
    need(cudaLaunchHostFunc(stream, raise_flag, &done));
    cudaGraph_t graph;
    need(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = instantiate(graph);
    need(cudaGraphLaunch(exec, stream));
    while (!done.load()) {
    }
    for (int i = 0; i < n; ++i) expect(x[i] == i + 7, "value");
    need(cudaStreamSynchronize(stream));
}

// clean disabled_node
static void disabled_node() {
    int n = 64, one = 1, hundred = 100;
    int* x = device_zeros<int>(n);
    cudaGraph_t graph;
    need(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t nodes[2];
    for (int i = 0; i < 2; ++i) {
        void* args[] = {&x, &n, i ? &hundred : &one};
        cudaKernelNodeParams params = {};
        params.func = reinterpret_cast<void*>(add_scalar);
        params.gridDim = dim3(2);
        params.blockDim = dim3(32);
        params.kernelParams = args;
        need(cudaGraphAddKernelNode(&nodes[i], graph, nodes, i, &params));
    }
    cudaGraphExec_t exec = instantiate(graph);
    for (int round = 0; round < 4; ++round) {
        need(cudaGraphNodeSetEnabled(exec, nodes[1], round % 2));
        need(cudaGraphLaunch(exec, nullptr));
    }
    for (const int v : to_host(x, n)) expect(v == 204, "value");
}

int main(int argc, char** argv) {
    return run_case(
        argc, argv,
        {
            {"captured_iteration", captured_iteration},
            {"captured_fork", captured_fork},
            {"built_by_hand", built_by_hand},
            {"parameters_changed_between_launches", parameters_changed_between_launches},
            {"captured_again_and_updated", captured_again_and_updated},
            {"graph_in_a_graph", graph_in_a_graph},
            {"host_function_between_kernels", host_function_between_kernels},
            {"memory_allocated_in_the_graph", memory_allocated_in_the_graph},
            {"graphs_in_two_streams_with_an_event", graphs_in_two_streams_with_an_event},
            {"events_as_nodes", events_as_nodes},
            {"graph_that_waits_for_an_event", graph_that_waits_for_an_event},
            {"flag_set_by_a_host_node", flag_set_by_a_host_node},
            {"disabled_node", disabled_node},
        });
}
