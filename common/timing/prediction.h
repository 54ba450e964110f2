// The result of the time model: how long a launch takes on a GPU, its bottleneck, and where the
// time goes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::timing {

/// The bottleneck: the resource that would have to grow to make the launch faster.
enum class Bottleneck {
    memory,      ///< memory bandwidth, at the run lengths of the launch
    flight,      ///< too few bytes are in flight for the latency (Little's law)
    barrier,     ///< too few bytes in flight, because most warps wait at a barrier
    shared,      ///< passes through shared memory and the L1 cache
    cache,       ///< the path between a multiprocessor and the L2 cache
    stores,      ///< stores that write sectors only in part
    issue,       ///< the issue of instructions
    blocks,      ///< the start of blocks, if running blocks end faster than new blocks can start
    few_blocks,  ///< fewer blocks than fit at once, or a nearly empty last round
};
constexpr Bottleneck last_of(Bottleneck) {
    return Bottleneck::few_blocks;
}

/// The limit on the number of resident blocks: a resource of the multiprocessor, its maximum number
/// of blocks (`blocks`), or the number of blocks in the grid (`grid`).
enum class OccupancyLimit { threads, blocks, registers, shared_memory, grid };
constexpr OccupancyLimit last_of(OccupancyLimit) {
    return OccupancyLimit::grid;
}

/// An aspect of a launch that the model does not cover. If a prediction lists one, the error may
/// exceed the error band.
enum class Unknown {
    atomics,        ///< how long atomics wait for each other
    local_memory,   ///< the cost of spilled registers and of arrays in local memory
    unlike_blocks,  ///< the work of the unrecorded blocks
    waits,          ///< how long blocks wait for each other
    parts,          ///< how many partial sectors of a row are combined on their way to the cache
    /// How much of the data that warps request again is still in the L1 cache.
    first_level,
    /// How many blocks fit into the registers: the estimated register count is close to a limit.
    registers,
    half_lines,    ///< the cost of runs shorter than a cache line
    tensor_cores,  ///< how long matrix products take
    constants,     ///< how many different constant addresses the lanes of a warp read at once
};
constexpr Unknown last_of(Unknown) {
    return Unknown::constants;
}

/// For each resource, the fraction of the launch's time in which it is busy.
struct UnitUtilization {
    double memory = 0, l2_read = 0, l2_write = 0, shared = 0, issue = 0;  ///< from 0 to 1
};

/// Cycles that a warp spends in each state, averaged over the warps of a block.
struct WarpLife {
    double start = 0;    ///< from the end of the previous block to the warp's first instruction
    double issue = 0;    ///< issuing instructions, or waiting to issue
    double loads = 0;    ///< waiting for global memory, including asynchronous copies
    double shared = 0;   ///< waiting for shared memory
    double barrier = 0;  ///< waiting at barriers
    double stores = 0;   ///< waiting until stores are accepted
    double other = 0;
    double sum() const { return start + issue + loads + shared + barrier + stores + other; }
};

/// The state of one multiprocessor during a short interval in the middle of the launch.
struct Moment {
    double bytes_in_flight = 0;  ///< bytes of loads and asynchronous copies in flight
    double bytes_stored = 0;     ///< bytes passed to the L2 cache in this interval
    /// The average number of warps in each state.
    double warps_at_barrier = 0, warps_waiting_for_loads = 0, warps_working = 0;
};
struct TimeLine {
    double cycles_per_moment = 0;
    std::vector<Moment> moments;
    /// The time for which a block is resident, from moment `begin` to moment `end`. `slot` is the
    /// block's row in the timeline.
    struct BlockInterval {
        int slot = 0;
        double begin = 0, end = 0;
    };
    std::vector<BlockInterval> blocks;
};

/// The time that a launch would save without an inefficiency.
struct Saving {
    /// The name of the inefficiency: "load_sectors", "store_sectors", "bank_conflicts",
    /// "contended_atomics", "waits_for_loads", "barriers", "divergent_loop", "local_memory",
    /// "spilled_registers", "unused_shared" or "occupancy".
    std::string inefficiency;
    std::uint32_t line = 0;  ///< the source line, or 0 if the saving concerns the whole kernel
    double ms = 0;
};

/// The prediction for one launch.
struct Prediction {
    std::string gpu;
    /// Whether the GPU's parameters were measured. Otherwise the prediction is unverified.
    bool is_gpu_measured = false;
    std::string kernel;
    double ms = 0;
    /// The time that the launch would take without bank conflicts, or 0 if the launch has few or
    /// none.
    double ms_without_conflicts = 0;
    /// The error band: 0.08 if nine in ten measured times are within 8 % of the prediction.
    double error_band = 0;
    std::vector<Unknown> unknown;
    Bottleneck bottleneck = Bottleneck::memory;

    double memory_bytes = 0;  ///< bytes that memory transfers, in whole sectors
    /// The average lengths, in bytes, of the runs read from and written to memory.
    double run_bytes_read = 0, run_bytes_written = 0;
    int resident_blocks = 0;  ///< resident blocks per multiprocessor
    int warps_per_block = 0;
    int registers = 0;     ///< registers per thread, estimated
    int shared_bytes = 0;  ///< bytes of shared memory per block, static and dynamic
    OccupancyLimit occupancy_limit = OccupancyLimit::threads;
    /// The number of blocks in the grid, divided by the number of blocks that the GPU runs at once.
    double rounds = 0;

    double bytes_in_flight = 0;         ///< average bytes of loads in flight on a multiprocessor
    double bytes_needed = 0;            ///< bytes in flight that keep memory busy (Little's law)
    double fraction_without_loads = 0;  ///< the fraction of the time in which no load is in flight
    /// The latency of a load while the launch uses memory as much as predicted.
    double latency_cycles = 0;
    UnitUtilization utilization;
    WarpLife warp_life;
    TimeLine time_line;
};

/// The predictions for several launches, in order.
struct Predictions {
    std::vector<Prediction> launches;
};

}  // namespace coalesce::timing
