// The memory traffic of one block of a launch, and the lengths of the runs in memory.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "timing/sector_set.h"

namespace coalesce::timing {

/// Returns the average length of the runs in bytes.
inline double average_run_bytes(const std::vector<std::uint64_t>& run_lengths) {
    if (run_lengths.empty()) return 0;
    const auto sectors = std::accumulate(run_lengths.begin(), run_lengths.end(), std::uint64_t{0});
    return static_cast<double>(sectors) * kSectorBytes / static_cast<double>(run_lengths.size());
}

/// The part of a kernel's requests that reaches memory.
struct Traffic {
    double memory_reads = 0,
           memory_writes = 0;  ///< sectors read from memory and written to memory per block
    /// The fraction of the requested sectors that reaches memory.
    double read_fraction = 0, written_fraction = 0;
    /// The fraction of the written sectors that the block leaves incomplete.
    double unfinished_fraction = 0;
    /// The fraction of the bytes in the written sectors that other blocks must write.
    double fraction_left_to_others = 0;
    double block_run_bytes_read = 0,
           block_run_bytes_written = 0;  ///< average run lengths in bytes for one block
    /// The sizes of runs in sectors, for a block together with its neighbours.
    std::vector<std::uint64_t> read_run_lengths, written_run_lengths;
    /// The sizes of the runs that memory reads, in sectors. Memory reads aligned pairs of sectors,
    /// so these runs are longer than those in `read_run_lengths`. `pair_ratio` is the number of
    /// sectors in these pairs, divided by the number of requested sectors.
    std::vector<std::uint64_t> pair_run_lengths;
    double pair_ratio = 1;
    double requests_per_sector =
        1;  ///< how often, on average, a block requests each sector that it reads

    double average_run_bytes_read() const { return average_run_bytes(read_run_lengths); }
    double average_run_bytes_written() const { return average_run_bytes(written_run_lengths); }
};

}  // namespace coalesce::timing
