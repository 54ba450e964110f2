// Simulates one multiprocessor, event by event, while its resident blocks execute their operations.
//
// Idea   All multiprocessors do the same, so it is enough to simulate one of them, with its share
//        of the common resources: memory and the L2 cache. Each resource (issue slots, passes of
//        the L1 cache, the paths to and from the L2 cache, memory) is a queue, described by the
//        time at which it is free again. The latency of a load is the latency of memory plus the
//        waiting time in the queue. The latency of memory grows with the utilization of memory,
//        and varies from load to load, as on hardware.
#pragma once

#include <limits>
#include <vector>

#include "timing/gpu.h"
#include "timing/operations.h"
#include "timing/prediction.h"

namespace coalesce::timing {

struct MultiprocessorWork {
    std::vector<BlockProgram> programs_by_kind;
    /// The kinds of consecutive blocks, as indices into `programs_by_kind`. A launch with more
    /// blocks repeats the sequence.
    std::vector<std::uint32_t> kind_by_block;
    bool has_uneven_blocks = false;  ///< whether some blocks do far more work than others
    int resident_blocks = 1;         ///< the number of resident blocks
    double blocks = 1;
    /// The cycles for which reading or writing a sector occupies this multiprocessor's share of
    /// memory. Reading a sector from a cache takes none of these cycles.
    double read_cycles = 0, write_cycles = 0;
    /// The fraction of the loaded sectors that come from memory. The other sectors are in a cache,
    /// because neighbouring blocks have loaded them.
    double read_fraction = 1;
    double write_fraction = 0;  ///< the fraction of memory traffic that consists of writes
    UnfinishedSectors unfinished_sectors;  ///< partial sectors that blocks leave unfinished
    /// The size of the multiprocessor's L1 cache in bytes. This size limits the loads in flight.
    double l1_bytes = std::numeric_limits<double>::infinity();
};

struct SimulatedOutcome {
    double cycles = 0;            ///< cycles that all blocks take
    double cycles_per_block = 0;  ///< cycles per block in the middle of the launch
    double bytes_in_flight = 0;
    double fraction_without_loads = 0;  ///< the fraction of the time in which no load is in flight
    double latency_cycles = 0;
    UnitUtilization utilization;
    /// The fraction of the time in which stores of partial sectors keep the path to the L2 cache
    /// busy.
    double partial_store_utilization = 0;
    WarpLife warp_life;
    TimeLine time_line;
};

SimulatedOutcome simulate(const MultiprocessorWork& work, const Gpu& gpu);

}  // namespace coalesce::timing
