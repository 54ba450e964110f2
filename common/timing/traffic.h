// What memory moves for a block of a launch, and in which runs.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "timing/sector_set.h"

namespace coalesce::timing {

/// How long runs are on average, in bytes.
inline double length_of(const std::vector<std::uint64_t>& runs) {
    if (runs.empty()) return 0;
    const auto sectors = std::accumulate(runs.begin(), runs.end(), std::uint64_t{0});
    return static_cast<double>(sectors) * kSectorBytes / static_cast<double>(runs.size());
}

/// What memory moves, of what the kernel asks for.
struct Traffic {
    double read = 0, written = 0;                  ///< sectors of a block that memory sees
    double read_part = 0, written_part = 0;        ///< of what is asked for
    double unfinished = 0;                         ///< part of what is written: sectors with gaps
    double left_to_others = 0;                     ///< the same, of what one block writes
    double own_run_read = 0, own_run_written = 0;  ///< bytes: of what one block moves
    std::vector<std::uint64_t> runs_read, runs_written;  ///< with its neighbours: sectors of each
    /// What memory reads for runs_read, since it reads aligned pairs of sectors: the runs, and how many times as much.
    std::vector<std::uint64_t> runs_of_pairs;
    double pairs = 1;
    double rereads = 1;  ///< how often a block asks for each sector that it reads

    double run_read() const { return length_of(runs_read); }
    double run_written() const { return length_of(runs_written); }
};

}  // namespace coalesce::timing
