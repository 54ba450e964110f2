// One multiprocessor, event by event: the blocks that it holds at a time go through their operations.
//
// Idea   All multiprocessors do the same, so one is enough, with its share of what all share: memory and
//        the second-level cache. Each resource (issue, passes of the first-level cache, the ways to and from
//        the second-level cache, memory) is a queue: a time at which it is free again. A load's latency is
//        memory's own, more the busier memory is, spread as it is on hardware, and the wait in the queue.
#pragma once

#include <limits>
#include <vector>

#include "timing/gpu.h"
#include "timing/operations.h"
#include "timing/prediction.h"

namespace coalesce::timing {

/// What one multiprocessor is given.
struct Work {
    std::vector<BlockProgram> kinds;     ///< of blocks
    std::vector<std::uint32_t> kind_of;  ///< in turn, over and over
    bool unlike = false;                 ///< some of them do far more than others
    int resident = 1;                    ///< blocks at a time
    double blocks = 1;                   ///< in all
    /// Of a sector, in cycles of this multiprocessor's share of memory; what memory does not see costs nothing.
    double read_cycles = 0, write_cycles = 0;
    double read_part =
        1;  ///< of the loads: memory sees them; what others ask for neighbours have brought
    double write_share = 0;  ///< of the bytes that memory moves
    Unfinished unfinished;   ///< where sectors are stored in parts
    /// Of a multiprocessor's first-level cache: room for what loads have under way.
    double first_level_bytes = std::numeric_limits<double>::infinity();
};

struct Outcome {
    double cycles = 0;          ///< for all blocks
    double cycles_a_block = 0;  ///< in the middle
    double bytes_on_their_way = 0;
    double nothing_on_its_way = 0;  ///< part of the time
    double latency = 0;
    Busy busy;
    double stores_busy = 0;  ///< of the way to the cache, by sectors that are stored in part
    WarpLife life;
    TimeLine time_line;
};

Outcome simulate(const Work& work, const Gpu& gpu);

}  // namespace coalesce::timing
