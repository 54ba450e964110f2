// Stores of parts of sectors: what blocks leave unfinished in the second-level cache, how long, and what that costs.
//
// Idea   The second-level cache puts the parts of a sector together. Until the last has come, the line that it is
//        in is open. The more lines are open at a time, over the more pages of memory, the more of them have to go
//        before they are finished, and come back. (Counted by Nsight Compute on an H200: where blocks write columns
//        of 4 bytes, row after row, memory writes up to 1.9 times what is stored, and reads as much besides.)
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/gpu.h"

namespace coalesce::timing {

/// What a request writes of a sector.
struct Part {
    std::uint32_t line = 0;  ///< that it is in, numbered for the block
    float bytes = 0;
    bool operator==(const Part&) const = default;
};

/// The lines of a block of which its requests write parts.
class PartedLines {
public:
    Part add(std::uint64_t sector, std::uint32_t warp, float bytes);
    /// By line, what the block writes of it.
    const std::vector<float>& bytes() const { return bytes_; }
    /// How many wait for other blocks: those with sectors that the block does not fill, and half of those that it
    /// does not fill with sectors that its warps fill together.
    double left_to_others() const;

private:
    struct Sector {
        std::uint32_t line = 0, warp = 0;
        float bytes = 0;
        bool by_several = false;  ///< warps
    };
    std::unordered_map<std::uint64_t, std::uint32_t> lines_;
    std::vector<float> bytes_;
    std::unordered_map<std::uint64_t, Sector> sectors_;
};

/// Lines of the blocks that run, from the first store of the block to the last: its warps go on each at its own pace,
/// and sectors wait for the slowest.
class OpenLines {
public:
    struct OfBlock {
        std::vector<float> missing;  ///< bytes, by line
        std::vector<double> since;   ///< it is open; below 0: it is not
    };
    static OfBlock of(const std::vector<float>& bytes_of_line) {
        return {bytes_of_line, std::vector<double>(bytes_of_line.size(), -1)};
    }
    void write(OfBlock& block, Part part, double t);
    /// The block is over; what it leaves to others is counted by itself.
    void close(OfBlock& block, double t);
    /// How many there are at a time, until then.
    double mean(double t) const;

private:
    void close(double& since, double t);

    double open_ = 0, opened_ = 0;  ///< lines; when, added up
    double closed_ = 0;             ///< how long those that are closed were open, added up
};

/// What all blocks that run at a time leave unfinished.
struct Unfinished {
    double multiprocessors = 1;  ///< each of which has as many open lines
    double left_to_others = 0;   ///< lines, of all of them
    double pages = 0;            ///< of memory that they write to
    double cycles_of_reads = 0;  ///< of memory, for what is read of each sector that is written
};

/// Cycles of the way to the cache for each sector that is written in parts, more than for its parts.
double cost_of_finishing(const Unfinished& unfinished, double open_lines, const Gpu& gpu);

/// Cycles for half a line of which a request writes sectors in part, where it touches so many halves. `meets`: all
/// warps of the block write to the same ones at about the same time.
double cost_of_part(std::uint32_t halves, bool meets, const PartialSectors& partial);

}  // namespace coalesce::timing
