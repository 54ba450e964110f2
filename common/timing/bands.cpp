#include "timing/bands.h"

#include <algorithm>

namespace coalesce::timing {

namespace {

// Fractions of the predicted time within which nine of ten kernels were, by class: the lessons' kernels, random kernels
// (docs/results/random_kernels) and the half of the tutorial kernels that may be looked at (docs/results/tutorial), all on
// an H200.

/// Plain copies and transposes: long runs, about as much written as read, and time to spare everywhere but in memory.
constexpr double kCopies = .08;
/// The same, but much more is read than written, or the first-level cache or the issue of instructions is half busy.
constexpr double kStreams = .14;
/// Memory or its latency binds, and another resource is nearly as busy.
constexpr double kMixed = .17;
/// Instructions bind, or take more than half of the time.
constexpr double kInstructions = .2;
/// Reads of sectors anywhere in memory, and tables that the caches hold only in part.
constexpr double kRandomSectors = .4;
/// Anything else: shared memory, caches or too few blocks bind.
constexpr double kOthers = .3;
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
    if (f.has_short_runs) return kRandomSectors;
    if (f.has_unfinished_sectors) return kOthers;
    if (f.binds == Binds::issue) return kInstructions;
    if (!waits_for_memory(f.binds)) return kOthers;
    if (f.reads_tables && f.busy.memory < .5) return kOthers;
    if (f.busy.shared >= .65 || f.busy.l2_write >= .6) return kOthers;
    if (f.busy.issue >= .55) return kInstructions;
    const bool copies = f.write_share > .4 && f.write_share < .6 && f.rereads < kFewRereads;
    const bool has_time_to_spare = f.busy.issue < .5 && f.busy.shared < .6;
    if (copies && has_time_to_spare) return kCopies;
    return f.busy.issue >= .4 || f.busy.shared >= .4 ? kMixed : kStreams;
}

}  // namespace

double error_band(const BandFacts& f) {
    const double launch = f.ms > 0 ? std::min(kLaunchMs / f.ms, kMostOfLaunch) : 0;
    return band_of_class(f) + launch + (f.measured_gpu ? 0 : kDocuments);
}

}  // namespace coalesce::timing
