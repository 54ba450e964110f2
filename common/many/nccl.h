/// \file
/// Loads NCCL at run time, so that the course can be built without it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

#include "many/many.h"

namespace coalesce::many {

/// The communicators of this process's ranks.
class Nccl {
public:
    /// Creates the communicators. All processes of the team must do so together. Each rank needs
    /// its own GPU. Throws UsageError if NCCL is missing or fails.
    explicit Nccl(const Ranks& ranks);
    ~Nccl();
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    /// Start and end a group. The sends and receives of a group do not wait for each other.
    void begin_group();
    void end_group();
    /// Queues a transfer of `count` floats from rank `from` to rank `to`.
    void send(int from, int to, const float* data, std::size_t count, cudaStream_t stream);
    /// Queues the receiving side of a transfer: rank `to` receives what rank `from` sends.
    void receive(int to, int from, float* data, std::size_t count, cudaStream_t stream);

    /// Returns the reason why NCCL cannot be used, or "" if it can.
    static std::string reason_not_to_run();

private:
    std::vector<void*> communicators_;
};

}  // namespace coalesce::many
