#include "timing/bands.h"

#include <algorithm>

namespace coalesce::timing {

namespace {

// Fractions of the predicted time within which nine of ten kernels were, by class: the lessons' kernels, random kernels
// (docs/results/random_kernels) and tutorial kernels (docs/results/tutorial), all on an H200. README.md says how many of
// those were looked at before.

/// Copies in long runs that keep memory busy, and transposes through shared memory, with time to spare everywhere else.
constexpr double kCopies = .08;
/// Streams that wait for the latency of memory, or read much more than they write.
constexpr double kStreams = .17;
/// Instructions bind, or take much of the time, or the first-level cache does.
constexpr double kMixed = .3;
/// Reads of sectors anywhere in memory, tables that the caches hold in part, and everything else: shared memory,
/// caches or too few blocks bind.
constexpr double kOthers = .4;
/// Memory that is read and written in place. Two such kernels took 1.4 and 1.6 times as long as copies of as many bytes,
/// why is not known.
constexpr double kInPlace = .6;
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

double band_of_class(const BandFacts& f) {
    const bool copies = f.write_share > .4 && f.write_share < .6 && f.rereads < kFewRereads;
    if (f.writes_where_it_reads && f.busy.memory > .5 && !f.shares_memory) return kInPlace;
    if (f.has_short_runs || f.has_unfinished_sectors) return kOthers;
    if (f.binds == Binds::issue) return kMixed;
    const bool waits = waits_for_memory(f.binds) && f.busy.shared < .65 && f.busy.l2_write < .6;
    if (!waits || (f.reads_tables && f.busy.memory < .5)) return copies ? kMixed : kOthers;
    if (f.busy.issue >= .5) return kMixed;
    const bool is_plain = f.shares_memory || f.busy.memory > kBusyMemory;
    if (copies && f.busy.shared < .6 && is_plain) return kCopies;
    return f.busy.issue >= .4 || f.busy.shared >= .4 ? kMixed : kStreams;
}

}  // namespace

double error_band(const BandFacts& f) {
    const double launch = f.ms > 0 ? std::min(kLaunchMs / f.ms, kMostOfLaunch) : 0;
    return band_of_class(f) + launch + (f.measured_gpu ? 0 : kDocuments);
}

}  // namespace coalesce::timing
