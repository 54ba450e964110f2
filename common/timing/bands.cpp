#include "timing/bands.h"

#include <algorithm>

namespace coalesce::timing {

namespace {

// Fractions of the predicted time within which at least nine of ten kernels of a class lie. They
// were measured on an H200, with the lessons' kernels and the first two sets of tutorial kernels
// (docs/results/tutorial). docs/guide/time_model.md lists the kernels that were measured after
// their predictions had been recorded.

/// Launches at a well-known pace: copies in long runs that keep memory busy, transposes through
/// shared memory with no other busy unit, and launches whose blocks end as fast as they can start.
/// Random copies and transposes of odd shapes (docs/results/random_kernels) are harder to predict:
/// 51 of 69 lie within this band.
constexpr double kCopies = .08;
/// Launches that wait for memory, either for its latency or because they read much more than they
/// write.
constexpr double kStreams = .2;
/// Launches limited by shared memory, or by the path to the second-level cache.
constexpr double kTransfers = .25;
/// Launches limited by instruction issue, and copies that do not wait for memory.
constexpr double kMixed = .3;
/// Launches with runs shorter than a line, sectors stored in parts, tables that the caches contain
/// in part, or too few blocks.
constexpr double kOthers = .4;
/// Launches that read and write memory in place. Two such kernels took 1.4 and 1.6 times as long as
/// copies of the same number of bytes, for unknown reasons.
constexpr double kInPlace = .6;
/// Launches limited by the first-level cache. If the lanes of a warp look up single sectors, the
/// cache serves more than one line per cycle, and is up to 1.8 times as fast as predicted.
constexpr double kFirstLevel = .65;
/// Utilization of memory above which a copy waits for memory.
constexpr double kBusyMemory = .7;
/// Requests per sector of a block above which its time depends on the contents of the first-level
/// cache.
constexpr double kFewRereads = 1.3;
/// Added to the band if the GPU's parameters come from documents instead of measurements.
constexpr double kDocuments = .07;
/// The variation of a launch's start and end between launches, in milliseconds.
constexpr double kLaunchMs = .0005;
/// The maximum that the variation of start and end may add to a band.
constexpr double kMostOfLaunch = .15;

bool waits_for_memory(Binds binds) {
    return binds == Binds::memory || binds == Binds::flight || binds == Binds::barrier ||
           binds == Binds::blocks;
}

/// Returns the band of a launch whose bottleneck is not memory.
double band_of_busy_part(const BandFacts& f, bool copies) {
    if (f.binds == Binds::shared) return f.shares_memory ? kTransfers : kFirstLevel;
    if (f.binds == Binds::cache) return kTransfers;
    return copies ? kMixed : kOthers;
}

double band_of_class(const BandFacts& f) {
    const bool copies = f.write_share > .4 && f.write_share < .6 && f.rereads < kFewRereads;
    if (f.writes_where_it_reads && f.busy.memory > .5 && !f.shares_memory) return kInPlace;
    if (f.has_short_runs || f.has_unfinished_sectors) return kOthers;
    if (f.binds == Binds::issue) return kMixed;
    if (!waits_for_memory(f.binds) || f.busy.shared >= .65 || f.busy.l2_write >= .6)
        return band_of_busy_part(f, copies);
    if (f.reads_tables && f.busy.memory < .5) return copies ? kMixed : kOthers;
    const bool is_plain = f.shares_memory || f.busy.memory > kBusyMemory;
    if (copies && f.busy.shared < .6 && f.busy.issue < .5 && is_plain) return kCopies;
    return f.binds == Binds::blocks ? kCopies : kStreams;
}

}  // namespace

double error_band(const BandFacts& f) {
    const double launch = f.ms > 0 ? std::min(kLaunchMs / f.ms, kMostOfLaunch) : 0;
    return band_of_class(f) + launch + (f.measured_gpu ? 0 : kDocuments);
}

}  // namespace coalesce::timing
