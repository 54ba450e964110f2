// Describes the work that a program queues in a stream or adds to a graph as a node. A stream
// executes the work immediately, or stores it as a node while the stream is being captured
// (capture.h).
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <variant>
#include <vector>

#include "simulator/cudart/launch.h"
#include "simulator/cudart/transfers.h"

namespace coalesce::simulator::cudart {

class Graph;
struct GraphMemory;

/// A kernel launch with a copy of its arguments. The copy is needed because the program may change
/// or destroy the original arguments before the kernel runs.
struct KernelWork {
    const void* function = nullptr;
    LaunchRequest request;
    std::shared_ptr<const KernelArguments> arguments;
    std::vector<cudaLaunchAttribute> attributes;
};

/// A copy of a box of bytes in pitched memory, or of a box of texels in CUDA arrays.
using CopyWork = cudaMemcpy3DParms;

struct FillWork {
    cudaPitchedPtr to{};
    cudaExtent extent{};  ///< the size of the box, whose width is in bytes
    unsigned value = 0;
    unsigned element_bytes = 1;  ///< the size of one value in bytes: 1, 2 or 4
};

using HostWork = cudaHostNodeParams;

struct ChildWork {
    std::shared_ptr<Graph> graph;  ///< the node's own copy of the child graph
};

struct EmptyWork {};

struct RecordWork {
    cudaEvent_t event = nullptr;
};

struct WaitWork {
    cudaEvent_t event = nullptr;
};

struct AllocateWork {
    std::shared_ptr<GraphMemory> memory;
    cudaMemAllocNodeParams parameters{};
    std::vector<cudaMemAccessDesc> access_descriptions;  ///< the array to which `parameters` points
};

struct FreeWork {
    std::shared_ptr<GraphMemory> memory;
};

struct ConditionalWork {
    cudaGraphConditionalHandle handle = 0;
    cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
    std::vector<std::shared_ptr<Graph>> body_graphs;
    /// An array of the handles of `body_graphs`. The program has received a pointer to this array.
    std::shared_ptr<std::vector<cudaGraph_t>> body_handles;
};

using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork,
                          RecordWork, WaitWork, AllocateWork, FreeWork, ConditionalWork>;

cudaGraphNodeType find_node_type(const Work& work);

// ---- conversion of parameters to work; the conversion fails if the parameters are invalid ----

/// describe_copy describes a linear copy, and describe_copy_2d a copy of pitched rows.
Work describe_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
Work describe_copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind);
/// Describes a 3D copy, whose parameters may refer to CUDA arrays.
Work describe_copy_3d(const cudaMemcpy3DParms* parameters);
/// These functions describe copies to or from a variable, starting `offset` bytes after the
/// variable's first byte.
Work describe_copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                             cudaMemcpyKind kind);
Work describe_copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset,
                               cudaMemcpyKind kind);
Work describe_fill(void* to, int value, size_t bytes);

/// Checks work before any of it is executed. Fails if the work is invalid.
void check_work(const Work& work);

/// Executes the work immediately.
void execute_work(const Work& work);

}  // namespace coalesce::simulator::cudart
