// What a program puts in a stream, or into a node of a graph, described before it is done: a stream does
// it at once, or keeps it as a node while it is being captured (capture.h).
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

/// A kernel with values of its own for the arguments: the program's may be gone when it runs.
struct KernelWork {
    const void* function = nullptr;
    LaunchRequest request;
    std::shared_ptr<const KernelArguments> arguments;
    std::vector<cudaLaunchAttribute> attributes;
};

/// All copies are boxes of bytes between pitched places, or of texels between CUDA arrays.
using CopyWork = cudaMemcpy3DParms;

struct FillWork {
    cudaPitchedPtr to{};
    cudaExtent extent{};  ///< in bytes
    unsigned value = 0;
    unsigned element = 1;  ///< bytes of one value
};

using HostWork = cudaHostNodeParams;

struct ChildWork {
    std::shared_ptr<Graph> graph;  ///< the node's own copy
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
    std::vector<cudaMemAccessDesc> access;  ///< what the parameters point to
};

struct FreeWork {
    std::shared_ptr<GraphMemory> memory;
};

struct ConditionalWork {
    cudaGraphConditionalHandle handle = 0;
    cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
    std::vector<std::shared_ptr<Graph>> bodies;
    std::shared_ptr<std::vector<cudaGraph_t>> handles;  ///< of the bodies: the program's array
};

using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork,
                          RecordWork, WaitWork, AllocateWork, FreeWork, ConditionalWork>;

cudaGraphNodeType type_of(const Work& work);

// ---- what the parameters of calls describe: work, or the call fails ----

/// A plain copy, and one of rows with gaps between them.
Work describe_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
Work describe_copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind);
/// The parameters can name CUDA arrays.
Work describe_copy_3d(const cudaMemcpy3DParms* parameters);
/// `offset` bytes into a variable, and from there.
Work describe_copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                             cudaMemcpyKind kind);
Work describe_copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset,
                               cudaMemcpyKind kind);
Work describe_fill(void* to, int value, size_t bytes);

/// Fails if it cannot be done, as far as that is known before it is.
void check(const Work& work);

/// Does it, now.
void carry_out(const Work& work);

}  // namespace coalesce::simulator::cudart
