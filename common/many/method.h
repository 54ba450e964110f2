/// \file
/// The methods by which several GPUs transpose one matrix together.
#pragma once

#include <memory>
#include <string>

namespace coalesce::many {

/// The maximum number of GPUs that share a matrix. Kernels receive a list with a piece for each of
/// these GPUs.
constexpr int kMaxRanks = 32;

struct Ranks;

/// A method of transposing a matrix across several GPUs, with the buffers that it needs.
class Method {
public:
    virtual ~Method() = default;
    /// Queues the work on the streams of the ranks.
    virtual void start() = 0;
};

/// The parameters of methods that exchange chunks.
struct Tuning {
    int chunks = 1;
    /// KiB of shared memory that each packing block requests without using it, so that fewer blocks
    /// run at the same time.
    int unused_shared_kib = 0;
    /// the delay, in microseconds, before packing and unpacking; it lets the exchange of a chunk
    /// start first
    int pause_us = 0;
};

/// A method of exchanging pieces: its description, and the function that creates it.
struct MethodKind {
    std::string name = "";    ///< such as "peers"
    std::string about = "";   ///< a sentence that describes the method
    bool is_chunked = false;  ///< whether the method uses Tuning
    bool needs_nccl = false;  ///< whether the method needs NCCL, and therefore one GPU per rank
    /// Creates the method. `ranks` must outlive the method.
    std::unique_ptr<Method> (*make)(const Ranks& ranks, Tuning tuning) = nullptr;
};

}  // namespace coalesce::many
