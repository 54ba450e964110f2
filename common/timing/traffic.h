// The memory traffic of one block of a launch, and the lengths of the runs in memory.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "timing/sector_set.h"

namespace coalesce::timing {

/// Returns the average length of the runs in bytes.
inline double length_of(const std::vector<std::uint64_t>& runs) {
    if (runs.empty()) return 0;
    const auto sectors = std::accumulate(runs.begin(), runs.end(), std::uint64_t{0});
    return static_cast<double>(sectors) * kSectorBytes / static_cast<double>(runs.size());
}

/// The part of a kernel's requests that reaches memory.
struct Traffic {
    double read = 0, written = 0;  ///< sectors read from memory and written to memory per block
    /// The fraction of the requested sectors that reaches memory.
    double read_fraction = 0, written_fraction = 0;
    /// The fraction of the written sectors that the block leaves incomplete.
    double unfinished = 0;
    /// The fraction of the bytes in the written sectors that other blocks must write.
    double left_for_other_blocks = 0;
    double own_run_read = 0, own_run_written = 0;  ///< average run lengths in bytes for one block
    /// The sizes of runs in sectors, for a block together with its neighbours.
    std::vector<std::uint64_t> runs_read, runs_written;
    /// The sizes of the runs that memory reads, in sectors. Memory reads aligned pairs of sectors,
    /// so these runs are longer than those in `runs_read`. `pairs` is the ratio of the totals.
    std::vector<std::uint64_t> runs_of_pairs;
    double pairs = 1;
    double rereads = 1;  ///< how often, on average, a block requests each sector that it reads

    double run_read() const { return length_of(runs_read); }
    double run_written() const { return length_of(runs_written); }
};

}  // namespace coalesce::timing
