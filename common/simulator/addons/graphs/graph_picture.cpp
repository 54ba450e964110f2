// Implements cudaGraphDebugDotPrint, which writes a graph as text for Graphviz.
#include <fstream>

#include "base/kernel_name.h"
#include "simulator/addons/graphs/graph_calls.h"

using coalesce::kernel_name;
using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

std::string format_label(const Work& work) {
    constexpr const char* names[] = {"kernel", "memcpy", "memset",   "host", "child graph", "empty",
                                     "record", "wait",   "allocate", "free", "condition"};
    static_assert(std::size(names) == std::variant_size_v<Work>);
    const std::string name = names[work.index()];
    const auto* kernel = std::get_if<KernelWork>(&work);
    if (!kernel) return name;
    std::string label = name;
    // The lookup fails if the kernel's library has been unloaded, so ignore the error.
    catch_error([&] {
        label += " " + kernel_name(Modules::instance().find_kernel(kernel->function).name);
    });
    return label;
}

void draw_graph(const Graph& graph, std::ostream& out) {
    std::map<const Node*, std::size_t> node_numbers;
    for (const auto& node : graph.nodes()) node_numbers.emplace(node.get(), node_numbers.size());
    out << "digraph graph_of_work {\n";
    for (const auto& node : graph.nodes()) {
        out << "    node_" << node_numbers[node.get()] << " [label=\"" << format_label(node->work)
            << "\"];\n";
    }
    for (const auto& node : graph.nodes()) {
        for (const Dependency& dependency : node->dependencies)
            out << "    node_" << node_numbers[dependency.node] << " -> node_"
                << node_numbers[node.get()] << ";\n";
    }
    out << "}\n";
}

}  // namespace

/// Writes the graph to a file. Ignores the flags, which request more detail in the picture.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
    return run_graph_call(__func__, [&] {
        const Graph& graph = find_graph(handle);
        std::ofstream file(path ? path : "");
        if (!file) refuse("the file cannot be written.", cudaErrorOperatingSystem);
        draw_graph(graph, file);
    });
}
