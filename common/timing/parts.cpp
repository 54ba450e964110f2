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

LinePart PartialLines::add(std::uint64_t sector, std::uint32_t warp, float bytes) {
    const auto [found, is_new] = sectors_.try_emplace(sector, Sector{.warp = warp});
    Sector& s = found->second;
    if (is_new) {
        s.line = lines_.try_emplace(sector / kSectorsOfLine, bytes_.size()).first->second;
        if (s.line == bytes_.size()) bytes_.push_back(0);
    }
    s.bytes += bytes;
    s.has_several_writers |= s.warp != warp;
    bytes_[s.line] += bytes;
    return {s.line, bytes};
}

double PartialLines::left_for_other_blocks() const {
    std::vector<double> left(bytes_.size());
    for (const auto& [sector, s] : sectors_) {
        if (s.bytes < kSectorBytes - kMaxMissingBytes)
            left[s.line] = 1;
        else if (s.has_several_writers && bytes_[s.line] < kLineBytes - kMaxMissingBytes)
            left[s.line] = std::max(left[s.line], kFilledSectorsLineWeight);
    }
    double sum = 0;
    for (const double part : left) sum += part;
    return sum;
}

void OpenLines::write(BlockLines& block, LinePart part, double t) {
    float& missing = block.missing[part.line];
    double& since = block.since[part.line];
    if (missing < kMaxMissingBytes) return;  // the block has written the whole line
    if (since < 0) {
        since = t;
        ++open_;
        opened_ += t;
    }
    missing -= part.bytes;
    if (missing < kMaxMissingBytes) close(since, t);
}

void OpenLines::close(BlockLines& block, double t) {
    for (double& since : block.since) close(since, t);
}

void OpenLines::close(double& since, double t) {
    if (since < 0) return;
    closed_ += std::max(0.0, t - since);
    opened_ -= since;
    --open_;
    since = -1;
}

double OpenLines::mean(double t) const {
    return t > 0 ? std::max(0.0, closed_ + open_ * t - opened_) / t : 0;
}

double completion_cycles(const Unfinished& unfinished, double open_lines, const Gpu& gpu) {
    const double open = open_lines * unfinished.multiprocessors + unfinished.left_for_other_blocks,
                 many = kHalfEvictionLineFraction * gpu.l2_bytes / kLineBytes,
                 too_early = open > 0 ? open / (open + many) : 0,
                 scattered = unfinished.pages / (unfinished.pages + kHalfEvictionPages);
    // Reads that complete sectors add to the time, because they cannot overlap with the writes.
    return kRewriteCostRatio * gpu.partial.cycles_for_4_bytes * too_early * scattered +
           unfinished.read_cycles_per_written_sector;
}

double partial_write_cycles(std::uint32_t halves, bool is_simultaneous,
                            const PartialSectors& partial) {
    // Partial sectors of two or four lanes that meet on their way to the cache are combined.
    if (is_simultaneous && halves <= 8) return partial.cycles_for_16_bytes;
    if (is_simultaneous && halves <= 16) return partial.cycles_for_8_bytes;
    return kWriteOnlyCostFactor * partial.cycles_for_4_bytes;
}

}  // namespace coalesce::timing
