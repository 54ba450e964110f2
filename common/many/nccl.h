/// \file
/// NCCL, found when it is needed: nothing needs to be installed to build the course.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

#include "many/many.h"

namespace coalesce::many {

/// One communicator for each rank of this process.
class Nccl {
public:
    /// Each rank has a GPU of its own. All processes of their team make it together. Throws UsageError
    /// when NCCL is not there, or refuses.
    explicit Nccl(const Ranks& ranks);
    ~Nccl();
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    /// Between these, sends and receives wait for each other nowhere.
    void begin_group();
    void end_group();
    /// Queues: rank `from` sends `count` floats to rank `to`.
    void send(int from, int to, const float* data, std::size_t count, cudaStream_t stream);
    /// Queues: rank `to` receives them.
    void receive(int to, int from, float* data, std::size_t count, cudaStream_t stream);

    /// "", or why NCCL cannot be used here.
    static std::string why_not();

private:
    std::vector<void*> communicators_;
};

}  // namespace coalesce::many
