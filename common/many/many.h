/// \file
/// A matrix spread over several GPUs, and the program that runs, verifies and measures the methods
/// of transposing it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/options.h"
#include "harness/owned.h"
#include "many/method.h"
#include "many/spread.h"
#include "many/team.h"

namespace coalesce::many {

/// A matrix `in` of rows x cols and its transpose `out`. Both are spread over the ranks in blocks
/// of rows. Each rank has its own GPU, or shares a GPU if there are more ranks than GPUs. In this
/// process, ranks that belong to other processes have no memory or streams.
struct Ranks {
    RowPartition rows;  ///< the rows of `in`
    RowPartition cols;  ///< the rows of `out`, which are the columns of `in`
    std::vector<int> devices;
    std::vector<float*> in, out;  ///< each rank's block of the matrix
    // For each rank, one stream of each kind. The three streams of a rank run concurrently.
    std::vector<cudaStream_t> packing_streams, sending_streams, unpacking_streams;
    Team* team = nullptr;  ///< the processes that own these ranks; needed for NCCL

    int count() const { return rows.ranks; }
    /// Calls `work(rank)` for each rank of this process, with the rank's GPU as the current device.
    void for_each_rank(const std::function<void(int rank)>& work) const;
};

/// Returns how `count` rows are spread over `ranks` ranks. Blocks start at multiples of 32 rows,
/// which are cache line boundaries in the rows of the transposed matrix.
RowPartition partition_rows(int ranks, int count);

/// Returns ranks whose blocks follow each other in the memory of one GPU, so that together they
/// form the whole matrix. All streams of these ranks are the default stream.
Ranks make_ranks_on_one_gpu(float* out, const float* in, int rows, int cols, int ranks);

/// Ranks with their own memory and streams.
class AllocatedRanks {
public:
    /// Allocates a matrix of this shape on these devices. All processes of the team must call this
    /// constructor together.
    AllocatedRanks(Shape shape, const std::vector<int>& devices, Team& team);

    const Ranks& ranks() const { return ranks_; }

private:
    std::vector<DeviceBuffer> buffers_;
    std::vector<OwnStream> streams_;
    Ranks ranks_;
};

/// One event per rank. One stream records the rank's event, and other streams wait for it.
class Events {
public:
    explicit Events(const Ranks& ranks);

    /// Records the rank's event in a stream. The rank's device must be current.
    void record(int rank, cudaStream_t stream);
    /// Makes the stream wait for the rank's event. Does nothing if that event was never recorded.
    void wait(int rank, cudaStream_t stream);
    /// Makes the stream wait for the events of all ranks.
    void wait_for_all(cudaStream_t stream);

private:
    std::vector<OwnEvent> events_;
};

/// A buffer of device memory for each rank.
struct RankBuffers {
    /// Allocates `size` floats per rank.
    RankBuffers(const Ranks& ranks, std::size_t size);
    float* operator[](int rank) const { return floats[rank]; }

    std::vector<float*> floats;
    std::vector<DeviceBuffer> buffers;
};

/// The buffers for one chunk in flight. Each rank sends up to `size` floats from `packed` and, if
/// `has_receive_buffers` is true, receives up to `size` floats in `received`. The events mark the
/// steps of the exchange.
struct Slot {
    Slot(const Ranks& ranks, std::size_t size, bool has_receive_buffers);

    Events packed_events, sent_events, unpacked_events;
    RankBuffers packed, received;
};

/// Queues a kernel in `stream` that does nothing but wait for `microseconds`, so that work in other
/// streams can start first.
void delay_stream(cudaStream_t stream, int microseconds);

struct Request;
/// Verifies and measures the requested methods. Returns the same exit code as run_step, in every
/// process of the team.
int run_in_team(const Request& request, const Device& device,
                const std::vector<MethodKind>& methods, Team& team);

/// Reports whether the command line contains --gpus.
bool has_gpus_option(int argc, char** argv);
/// Implements `main` for a program in which one process uses all GPUs (`--gpus N`). Returns the
/// same exit code as run_step.
int run(int argc, char** argv, const std::vector<MethodKind>& methods);

}  // namespace coalesce::many
