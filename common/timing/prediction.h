// What comes out of the model: how long a launch would take on a GPU, what binds it, and where the time goes.
#pragma once

#include <string>
#include <vector>

namespace coalesce::timing {

/// What one would have to give the launch more of to make it faster.
enum class Binds {
    memory,      ///< bytes per second: as fast as memory moves them, in the runs that they lie in
    flight,      ///< bytes on their way: too few at a time for the latency (Little's law)
    barrier,     ///< the same, and most warps stand at a barrier meanwhile
    shared,      ///< passes through shared memory and the first-level cache
    cache,       ///< the way between a multiprocessor and the second-level cache
    stores,      ///< sectors of which each request writes a part
    issue,       ///< instructions
    blocks,      ///< blocks cannot start as fast as they end
    few_blocks,  ///< less than one round of blocks, or a last round that is nearly empty
};
constexpr Binds last_of(Binds) {
    return Binds::few_blocks;
}

/// What keeps more blocks from running on a multiprocessor at a time.
enum class Occupied { threads, blocks, registers, shared_memory, grid };
constexpr Occupied last_of(Occupied) {
    return Occupied::grid;
}

/// What the model knows that it does not know of a launch; the error may be larger than the band.
enum class Unknown {
    atomics,        ///< how long they wait for each other
    local_memory,   ///< registers that do not fit, arrays that are indexed
    unlike_blocks,  ///< other blocks do something else than those that were looked at
    waits,          ///< blocks that wait for each other
    parts,          ///< of sectors, stored along a row: how many come together on their way
    first_level,    ///< how much of what warps ask for again that cache still has
    registers,      ///< how many blocks they leave room for: the estimate is at a limit
    half_lines,     ///< what memory takes for runs shorter than a line
    tensor_cores,   ///< how long products of matrices take
    constants,      ///< how many addresses of constant memory the lanes of a warp read at once
};
constexpr Unknown last_of(Unknown) {
    return Unknown::constants;
}

/// Parts of the time of the launch, or cycles of a warp's life.
struct Busy {
    double memory = 0, l2_read = 0, l2_write = 0, shared = 0, issue = 0;  ///< parts of 1
};

/// Where the life of a warp goes: cycles, on average over the warps of a block.
struct WarpLife {
    double start = 0;    ///< from its block's place getting free to its first instruction
    double issue = 0;    ///< at work, or waiting for its turn to issue
    double loads = 0;    ///< waiting for global memory, asynchronous copies included
    double shared = 0;   ///< waiting for shared memory
    double barrier = 0;  ///< standing at barriers
    double stores = 0;   ///< waiting until stores are taken
    double other = 0;
    double sum() const { return start + issue + loads + shared + barrier + stores + other; }
};

/// What happens on one multiprocessor in the middle of the launch, moment by moment.
struct Moment {
    double bytes_on_their_way = 0;  ///< loads and asynchronous copies
    double bytes_stored = 0;        ///< handed to the second-level cache in this stretch
    double at_barrier = 0, waiting_for_loads = 0, at_work = 0;  ///< warps, on average
};
struct TimeLine {
    double cycles_a_moment = 0;
    std::vector<Moment> moments;
    /// The blocks that lived in this time, one row for each place: begin and end in moments.
    struct Life {
        int place = 0;
        double begin = 0, end = 0;
    };
    std::vector<Life> blocks;
};

/// Of one launch.
struct Prediction {
    std::string gpu;
    bool measured_gpu = false;  ///< parameters were measured on such a GPU: else unverified
    std::string kernel;
    double ms = 0;
    double error_band = 0;  ///< 0.08: within 8 % in nine of ten cases
    std::vector<Unknown> unknown;
    Binds binds = Binds::memory;

    double memory_bytes = 0;                           ///< that memory moves, in whole sectors
    double run_bytes_read = 0, run_bytes_written = 0;  ///< how long the runs are that it sees
    int resident_blocks = 0;                           ///< of a multiprocessor at a time
    int warps_of_block = 0;
    int registers = 0;     ///< of a thread, estimated
    int shared_bytes = 0;  ///< of a block, dynamic ones included
    Occupied occupied = Occupied::threads;
    double rounds = 0;  ///< blocks of the grid / blocks that the GPU holds

    double bytes_on_their_way = 0;  ///< loads of one multiprocessor, on average
    double bytes_needed = 0;        ///< that would be, for memory to be busy (Little's law)
    double nothing_on_its_way = 0;  ///< part of the time in which no load is under way
    double latency_cycles = 0;      ///< of a load, under this load of memory
    Busy busy;
    WarpLife life;
    TimeLine time_line;
};

/// Of launches one after the other.
struct Predictions {
    std::vector<Prediction> launches;
};

}  // namespace coalesce::timing
