/// \file
/// One matrix over several GPUs: who has what, and the program that runs, verifies and measures the
/// ways to transpose it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/options.h"
#include "harness/owned.h"
#include "many/spread.h"
#include "many/team.h"
#include "many/way.h"

namespace coalesce::many {

/// A matrix `in` of rows x cols and its transpose `out`, each spread by blocks of its rows. A rank is
/// a GPU; where there are fewer GPUs than ranks, some are of the same one. Other processes may have
/// some: of those this one has neither memory nor streams.
struct Ranks {
    Spread rows;  ///< of `in`
    Spread cols;  ///< of `in`: the rows of `out`
    std::vector<int> devices;
    std::vector<float*> in, out;  ///< each rank's block
    // Streams of each rank, which run side by side.
    std::vector<cudaStream_t> packing, sending, unpacking;
    Team* team = nullptr;  ///< whose they are; what NCCL needs to know

    /// How many.
    int count() const { return rows.ranks; }
    /// Calls `work(rank)` for each of this process, with its GPU chosen.
    void each(const std::function<void(int rank)>& work) const;
};

/// How blocks are spread: they begin at multiples of 32 floats, where a line of 128 bytes does.
Spread spread_over(int ranks, int count);

/// All blocks in the memory of one GPU, one after the other: the whole matrix, in one piece. The work
/// goes to its default stream.
Ranks on_one_gpu(float* out, const float* in, int rows, int cols, int ranks);

/// Ranks with memory and streams of their own.
class OwnRanks {
public:
    /// A matrix of that shape over the GPUs of `team.devices`.
    OwnRanks(Shape shape, const std::vector<int>& devices, Team& team);

    const Ranks& ranks() const { return ranks_; }

private:
    std::vector<DeviceBuffer> buffers_;
    std::vector<OwnStream> streams_;
    Ranks ranks_;
};

/// An event at each rank: what a stream of it has done, and others wait for.
class Events {
public:
    explicit Events(const Ranks& ranks);

    /// It happens when that stream of the rank, which is chosen, has come so far.
    void record(int rank, cudaStream_t stream);
    /// The stream goes on when the rank's has happened, if it was ever recorded.
    void wait(int rank, cudaStream_t stream);
    /// The same for all ranks.
    void wait_for_all(cudaStream_t stream);

private:
    std::vector<OwnEvent> events_;
};

/// Memory at each rank.
struct Room {
    /// `size` floats.
    Room(const Ranks& ranks, std::size_t size);
    float* operator[](int rank) const { return floats[rank]; }

    std::vector<float*> floats;
    std::vector<DeviceBuffer> buffers;
};

/// What each rank sends and, where it `receives`, gets, `size` floats each; and how far they are.
struct Slot {
    Slot(const Ranks& ranks, std::size_t size, bool receives);

    Events is_packed, is_sent, is_unpacked;
    Room packed, received;
};

/// The stream does nothing for so long, so that work of other streams that becomes ready at the same
/// time gets its place on the multiprocessors first.
void give_head_start(cudaStream_t stream, int microseconds);

struct Request;
/// Verifies and measures what the command line asks for. All processes of the team return the same, as run_step does.
int run_together(const Request& request, const Device& device, const std::vector<KindOfWay>& ways,
                 Team& team);

/// Whether the command line has --gpus.
bool is_asked_for(int argc, char** argv);
/// The `main` of a program for the GPUs of one process (`--gpus N`). Returns what run_step does.
int run(int argc, char** argv, const std::vector<KindOfWay>& ways);

}  // namespace coalesce::many
