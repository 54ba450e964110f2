// Tests cases that are undefined on hardware or specific to the simulator: destroyed handles,
// attributes of nodes whose parameters have changed, and the text that describes a graph.
// simulator only
// expect: a graph that was destroyed: cudaErrorInvalidValue
// expect: a node of it: cudaErrorInvalidValue
// expect: an executable that was destroyed: cudaErrorInvalidValue
// expect: the graph of a child node: cudaErrorInvalidValue
// expect: what is no kernel: cudaErrorInvalidResourceHandle
// expect: a user object that is gone: cudaErrorInvalidValue
// expect: cooperative is copied: yes, and stays: yes
// expect: the picture has 2 nodes and 1 arrows
// expect: a kernel that makes a handle up: cudaErrorLaunchFailure
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphDestroy
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaGraphLaunch
// expect-stderr: apicheck: cudaErrorInvalidResourceHandle from cudaGraphAddKernelNode
// expect-stderr: cudaGraphSetConditional was called
#include <unistd.h>

#include <string>

#include "api_check.h"

__global__ void choose(cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, 1);
}

__global__ void idle() {}

static void CUDART_CB nothing(void*) {}

static void handles() {
    cudaGraph_t graph, child, own;
    cudaGraphNode_t node, in_child;
    cudaGraphExec_t executable;
    cudaGraphNodeType type;
    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphCreate(&child, 0));
    need(cudaGraphAddEmptyNode(&in_child, child, nullptr, 0));
    need(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
    need(cudaGraphDestroy(child));
    result("a graph that was destroyed", cudaGraphDestroy(child));
    result("a node of it", cudaGraphNodeGetType(in_child, &type));
    need(cudaGraphInstantiate(&executable, graph, 0));
    need(cudaGraphExecDestroy(executable));
    result("an executable that was destroyed", cudaGraphLaunch(executable, nullptr));
    need(cudaGraphChildGraphNodeGetGraph(node, &own));
    result("the graph of a child node", cudaGraphDestroy(own));

    int no_kernel = 0;
    cudaKernelNodeParams parameters = {};
    parameters.func = &no_kernel;
    parameters.gridDim = parameters.blockDim = dim3(1);
    result("what is no kernel", cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
    cudaUserObject_t object;
    need(cudaUserObjectCreate(&object, nullptr, nothing, 1, cudaUserObjectNoDestructorSync));
    need(cudaUserObjectRelease(object));
    result("a user object that is gone", cudaUserObjectRetain(object));
    need(cudaGraphDestroy(graph));
}

static bool is_cooperative(cudaGraphNode_t node) {
    cudaLaunchAttributeValue value = {};
    need(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value));
    return value.cooperative == 1;
}

static void attributes() {
    cudaGraph_t graph;
    cudaGraphNode_t from, to;
    cudaKernelNodeParams parameters = {};
    cudaLaunchAttributeValue value = {};
    parameters.func = reinterpret_cast<void*>(idle);
    parameters.gridDim = parameters.blockDim = dim3(1);
    value.cooperative = 1;
    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphAddKernelNode(&from, graph, nullptr, 0, &parameters));
    need(cudaGraphAddKernelNode(&to, graph, nullptr, 0, &parameters));
    need(cudaGraphKernelNodeSetAttribute(from, cudaLaunchAttributeCooperative, &value));
    need(cudaGraphKernelNodeCopyAttributes(from, to));
    const bool is_copied = is_cooperative(to);
    need(cudaGraphKernelNodeSetParams(to, &parameters));
    std::printf("cooperative is copied: %s, and stays: %s\n", is_copied ? "yes" : "NO",
                is_cooperative(to) ? "yes" : "NO");
    need(cudaGraphDestroy(graph));
}

static int count_lines(const std::string& file, const char* with, const char* without) {
    std::FILE* in = std::fopen(file.c_str(), "r");
    char line[256];
    int count = 0;
    while (in && std::fgets(line, sizeof line, in)) {
        const std::string text = line;
        count += text.find(with) != text.npos && text.find(without) == text.npos;
    }
    if (in) std::fclose(in);
    return count;
}

static void picture() {
    cudaGraph_t graph;
    cudaGraphNode_t first, second;
    need(cudaGraphCreate(&graph, 0));
    need(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
    need(cudaGraphAddEmptyNode(&second, graph, &first, 1));
    const std::string file = "/tmp/coalesce_graph_" + std::to_string(getpid()) + ".dot";
    need(cudaGraphDebugDotPrint(graph, file.c_str(), 0));
    std::printf("the picture has %d nodes and %d arrows\n", count_lines(file, "label", "->"),
                count_lines(file, "->", "label"));
    unlink(file.c_str());
    need(cudaGraphDestroy(graph));
}

int main() {
    handles();
    attributes();
    picture();
    choose<<<1, 1>>>(987654321);
    result("a kernel that makes a handle up", cudaDeviceSynchronize());
}
