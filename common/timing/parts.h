// Stores of partial sectors: how many sectors stay unfinished in the L2 cache, for how long, and at
// what cost.
//
// Idea   The L2 cache combines the parts of a sector. Until the last part arrives, the
//        cache line with this sector is open. The more lines are open at the same time, and the
//        more pages of memory they are in, the more of them are evicted before they are complete,
//        and must be read again. (Nsight Compute counts this on an H200: if blocks write columns of
//        4 bytes, row after row, memory writes up to 1.9 times the stored bytes, and reads as much
//        in addition.)
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/gpu.h"

namespace coalesce::timing {

/// The part of a sector that one request writes.
struct LinePart {
    std::uint32_t line = 0;  ///< the index of the part's cache line within the block
    float bytes = 0;
    bool operator==(const LinePart&) const = default;
};

/// The cache lines that a block's requests write only in part.
class PartialLines {
public:
    LinePart add_written_part(std::uint64_t sector, std::uint32_t warp, float bytes);
    /// Returns the number of bytes that the block writes to each line.
    const std::vector<float>& bytes_per_line() const { return bytes_per_line_; }
    /// Returns the number of lines that other blocks must complete. A line with an incomplete
    /// sector counts as 1. A line that only lacks whole sectors counts as one half, if several
    /// warps together filled one of its other sectors.
    double lines_left_for_other_blocks() const;

private:
    struct Sector {
        std::uint32_t line = 0, warp = 0;
        float bytes = 0;
        bool has_several_writers = false;  ///< whether several warps write to the sector
    };
    std::unordered_map<std::uint64_t, std::uint32_t> line_indices_;
    std::vector<float> bytes_per_line_;
    std::unordered_map<std::uint64_t, Sector> sectors_;
};

/// A count of the open lines of the running blocks. A block opens a line with its first store to
/// the line, and closes the line with its last store. A line therefore stays open until the slowest
/// warp has written its part.
class OpenLines {
public:
    struct BlockLines {
        std::vector<float> missing_bytes;  ///< missing bytes, by line
        std::vector<double> opened_at;  ///< the time at which a line was opened; below 0 if closed
    };
    static BlockLines start_block(const std::vector<float>& bytes_per_line) {
        return {bytes_per_line, std::vector<double>(bytes_per_line.size(), -1)};
    }
    void write_part(BlockLines& block, LinePart part, double t);
    /// Closes all lines of a block that ends. The lines that other blocks must complete are counted
    /// in UnfinishedSectors.
    void close_lines(BlockLines& block, double t);
    /// Returns the mean number of open lines up to time `t`.
    double mean_open_lines(double t) const;

private:
    void close_line(double& opened_at, double t);

    /// The number of open lines, and the sum of the times at which they were opened.
    double open_count_ = 0, opening_time_sum_ = 0;
    double closed_duration_sum_ =
        0;  ///< the total time between opening and closing, over all closed lines
};

/// The partial sectors that all running blocks leave unfinished.
struct UnfinishedSectors {
    /// The number of multiprocessors. All have the same number of open lines.
    double multiprocessors = 1;
    double lines_left_for_other_blocks = 0;
    double pages = 0;                  ///< the number of memory pages written to
    double read_cycles_per_write = 0;  ///< memory cycles spent on reads, per written sector
};

/// Returns the extra cycles that a partially written sector takes on the path to the L2 cache.
double completion_cycles(const UnfinishedSectors& unfinished_sectors, double open_lines,
                         const Gpu& gpu);

/// Returns the number of cycles that a request takes for each half line if it writes some sectors
/// only in part. `half_lines` is the number of half lines with such sectors. `is_simultaneous` says
/// whether all warps of the block make such requests at about the same time.
double partial_write_cycles(std::uint32_t half_lines, bool is_simultaneous,
                            const PartialSectorCosts& partial_costs);

}  // namespace coalesce::timing
