/// \file
/// The ways in which several GPUs transpose one matrix together.
#pragma once

#include <memory>
#include <string>

namespace coalesce::many {

/// The maximum number of GPUs that share a matrix. Kernels get a list with one piece for each.
constexpr int kMaxRanks = 32;

struct Ranks;

/// A way to transpose, with the buffers that it needs.
class Way {
public:
    virtual ~Way() = default;
    /// Queues the work on the streams of `ranks`.
    virtual void start() = 0;
};

/// The parameters of ways that exchange chunks.
struct Tuning {
    int chunks = 1;  ///< the number of chunks
    /// KiB of shared memory that each packing block requests without using it, so that fewer blocks
    /// run at the same time.
    int unused = 0;
    int pause = 0;  ///< the head start of each exchange, in microseconds
};

/// A way to exchange pieces: its description, and the function that creates it.
struct KindOfWay {
    std::string name = "";    ///< such as "peers"
    std::string about = "";   ///< a sentence that describes the way
    bool is_chunked = false;  ///< whether the way uses Tuning
    bool needs_nccl = false;  ///< whether the way needs NCCL, and a GPU for each rank
    /// Creates the way for these ranks, which must outlive it.
    std::unique_ptr<Way> (*make)(const Ranks& ranks, Tuning tuning) = nullptr;
};

}  // namespace coalesce::many
