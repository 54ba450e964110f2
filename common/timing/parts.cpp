#include "timing/parts.h"

#include <algorithm>

#include "timing/operations.h"

namespace coalesce::timing {

namespace {

/// The number of missing bytes up to which a sector counts as complete. The recording does not show
/// which sectors lack bytes, so small numbers are uncertain.
constexpr float kMaxMissingBytes = 1;

// Constants for an H200, measured with transposes that write partial sectors: `time_proof --make
// --transposes` (docs/results/random_kernels/transposes). The kernels vary one property at a time:
// block shape, element size, order or pitch.

/// If this fraction of the lines in the L2 cache is open, half of the open lines are
/// evicted early.
constexpr double kHalfEvictionLineFraction = .08;
/// If the open lines are in this many pages (of 2 KiB), half of them are evicted early. Fewer pages
/// cost less, because the lines of a page are written together.
constexpr double kHalfEvictionPages = 8000;
/// The cost of writing a sector too early and reading it again, as a multiple of the cost of a
/// partial write.
constexpr double kRewriteCostRatio = 6;
/// The factor by which to scale the cost of a partial write that calibrate measures. The measured
/// cost includes the reads that the write causes, which the model counts separately.
constexpr double kWriteOnlyCostFactor = .9;
/// The weight of a line in which a block fills whole sectors, but not the whole line.
constexpr double kFilledSectorsLineWeight = .5;

}  // namespace

LinePart PartialLines::add_written_part(std::uint64_t sector, std::uint32_t warp, float bytes) {
    const auto [found, is_new] = sectors_.try_emplace(sector, Sector{.warp = warp});
    Sector& s = found->second;
    if (is_new) {
        s.line = line_indices_.try_emplace(sector / kSectorsOfLine, bytes_per_line_.size())
                     .first->second;
        if (s.line == bytes_per_line_.size()) bytes_per_line_.push_back(0);
    }
    s.bytes += bytes;
    s.has_several_writers |= s.warp != warp;
    bytes_per_line_[s.line] += bytes;
    return {s.line, bytes};
}

double PartialLines::lines_left_for_other_blocks() const {
    std::vector<double> line_weights(bytes_per_line_.size());
    for (const auto& [sector, s] : sectors_) {
        if (s.bytes < kSectorBytes - kMaxMissingBytes)
            line_weights[s.line] = 1;
        else if (s.has_several_writers && bytes_per_line_[s.line] < kLineBytes - kMaxMissingBytes)
            line_weights[s.line] = std::max(line_weights[s.line], kFilledSectorsLineWeight);
    }
    double weight_sum = 0;
    for (const double line_weight : line_weights) weight_sum += line_weight;
    return weight_sum;
}

void OpenLines::write_part(BlockLines& block, LinePart part, double t) {
    float& missing_bytes = block.missing_bytes[part.line];
    double& opened_at = block.opened_at[part.line];
    if (missing_bytes < kMaxMissingBytes) return;  // the block has written the whole line
    if (opened_at < 0) {
        opened_at = t;
        ++open_count_;
        opening_time_sum_ += t;
    }
    missing_bytes -= part.bytes;
    if (missing_bytes < kMaxMissingBytes) close_line(opened_at, t);
}

void OpenLines::close_lines(BlockLines& block, double t) {
    for (double& opened_at : block.opened_at) close_line(opened_at, t);
}

void OpenLines::close_line(double& opened_at, double t) {
    if (opened_at < 0) return;
    closed_duration_sum_ += std::max(0.0, t - opened_at);
    opening_time_sum_ -= opened_at;
    --open_count_;
    opened_at = -1;
}

double OpenLines::mean_open_lines(double t) const {
    return t > 0 ? std::max(0.0, closed_duration_sum_ + open_count_ * t - opening_time_sum_) / t
                 : 0;
}

double completion_cycles(const UnfinishedSectors& unfinished_sectors, double open_lines,
                         const Gpu& gpu) {
    const double open_lines_everywhere = open_lines * unfinished_sectors.multiprocessors +
                                         unfinished_sectors.lines_left_for_other_blocks,
                 half_eviction_lines = kHalfEvictionLineFraction * gpu.l2_bytes / kLineBytes,
                 early_eviction_fraction =
                     open_lines_everywhere > 0
                         ? open_lines_everywhere / (open_lines_everywhere + half_eviction_lines)
                         : 0,
                 page_eviction_fraction =
                     unfinished_sectors.pages / (unfinished_sectors.pages + kHalfEvictionPages);
    // Reads that complete sectors add to the time, because they cannot overlap with the writes.
    return kRewriteCostRatio * gpu.partial_sectors.cycles_for_4_bytes * early_eviction_fraction *
               page_eviction_fraction +
           unfinished_sectors.read_cycles_per_write;
}

double partial_write_cycles(std::uint32_t half_lines, bool is_simultaneous,
                            const PartialSectorCosts& partial_costs) {
    // Partial sectors of two or four lanes that meet on their way to the cache are combined.
    if (is_simultaneous && half_lines <= 8) return partial_costs.cycles_for_16_bytes;
    if (is_simultaneous && half_lines <= 16) return partial_costs.cycles_for_8_bytes;
    return kWriteOnlyCostFactor * partial_costs.cycles_for_4_bytes;
}

}  // namespace coalesce::timing
