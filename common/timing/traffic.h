// The data that memory moves for a block of a launch, and the lengths of its runs.
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
    double read = 0, written = 0;  ///< the sectors of a block that memory moves
    /// Sectors read and written by memory, as a fraction of the requested sectors.
    double read_fraction = 0, written_fraction = 0;
    /// The fraction of written sectors that have gaps.
    double unfinished = 0;
    /// The fraction of the sectors' bytes that a single block leaves to other blocks.
    double left_for_other_blocks = 0;
    double own_run_read = 0, own_run_written = 0;  ///< lengths of runs in bytes, for a single block
    /// The sizes of runs in sectors, for a block together with its neighbours.
    std::vector<std::uint64_t> runs_read, runs_written;
    /// The sizes of the runs that memory actually reads, because it reads aligned pairs of sectors.
    /// `pairs` is the ratio of their total size to that of `runs_read`.
    std::vector<std::uint64_t> runs_of_pairs;
    double pairs = 1;
    double rereads = 1;  ///< how often a block requests each sector that it reads

    double run_read() const { return length_of(runs_read); }
    double run_written() const { return length_of(runs_written); }
};

}  // namespace coalesce::timing
