/// \file
/// The ways in which GPUs transpose one matrix together.
#pragma once

#include <memory>
#include <string>

namespace coalesce::many {

/// The most GPUs that share a matrix: kernels get a list of what goes to each.
constexpr int kMostRanks = 32;

struct Ranks;

/// A way to transpose, with the buffers that it needs.
class Way {
public:
    virtual ~Way() = default;
    /// Queues the work, on the streams of `ranks`.
    virtual void start() = 0;
};

/// What ways that exchange chunks are tried with.
struct Tuning {
    int chunks = 1;  ///< in how many
    int unused = 0;  ///< KiB of shared memory that a block which packs keeps from others
    int pause = 0;   ///< microseconds by which what packs and unpacks starts later
};

/// A way, before it is made.
struct KindOfWay {
    std::string name = "";    ///< "peers"
    std::string about = "";   ///< a sentence
    bool is_chunked = false;  ///< it looks at Tuning
    bool needs_nccl = false;  ///< NCCL, and a GPU for each rank
    /// For these ranks, which outlive it.
    std::unique_ptr<Way> (*make)(const Ranks& ranks, Tuning tuning) = nullptr;
};

}  // namespace coalesce::many
