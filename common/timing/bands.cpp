#include "timing/bands.h"

#include <algorithm>

namespace coalesce::timing {

namespace {

// Fractions of the predicted time within which at least nine of ten kernels of a class lie, measured on an H200: the
// lessons' kernels and the first two sets of tutorial kernels (docs/results/tutorial). common/timing/README.md says
// which of these were measured after their predictions had been recorded.

/// Copies in long runs that keep memory busy, transposes through shared memory with time to spare everywhere else, and
/// launches whose blocks end as fast as they can start: their pace is known. Random copies and transposes of odd shapes
/// (docs/results/random_kernels) are harder: 51 of 69 lie within this band.
constexpr double kCopies = .08;
/// Launches that wait for memory: for its latency, or because they read much more than they write.
constexpr double kStreams = .2;
/// Shared memory binds, or the way to the second-level cache.
constexpr double kTransfers = .25;
/// Instructions bind, and copies that do not wait for memory.
constexpr double kMixed = .3;
/// Runs shorter than a line, sectors that are stored in parts, tables that the caches hold in part, and too few blocks.
constexpr double kOthers = .4;
/// Memory that is read and written in place. Two such kernels took 1.4 and 1.6 times as long as copies of as many bytes,
/// why is not known.
constexpr double kInPlace = .6;
/// The first-level cache binds. Where the lanes of a warp look up single sectors, it answers up to 1.8 times as fast as
/// predicted, from more than one line in a cycle.
constexpr double kFirstLevel = .65;
/// Memory that is this busy is what a copy waits for.
constexpr double kBusyMemory = .7;
/// A block that asks more often for the same sectors depends on what the first-level cache keeps.
constexpr double kFewRereads = 1.3;
/// What documents instead of measurements add.
constexpr double kDocuments = .07;
/// By how much the start and the end of a launch differ from launch to launch, in milliseconds.
constexpr double kLaunchMs = .0005;
/// The most that this adds to a band.
constexpr double kMostOfLaunch = .15;

bool waits_for_memory(Binds binds) {
    return binds == Binds::memory || binds == Binds::flight || binds == Binds::barrier ||
           binds == Binds::blocks;
}

/// The band of a launch that something else than memory holds up.
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
