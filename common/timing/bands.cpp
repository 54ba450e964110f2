#include "timing/bands.h"

#include <algorithm>

namespace coalesce::timing {

namespace {

// The error bands of predictions, as fractions of the predicted time. For at least nine of ten
// kernels of a class, the error is within the band of that class. The bands were measured on an
// H200, with the lessons' kernels and the first two sets of tutorial kernels
// (docs/results/tutorial). docs/guide/time_model.md lists the kernels that were measured only after
// their predictions had been recorded.

/// The band of launches that are easy to predict: copies in long runs that saturate memory,
/// transposes through shared memory that keep no unit other than memory busy, and launches that are
/// limited by the rate at which blocks start. Random copies and transposes of odd shapes
/// (docs/results/random_kernels) are harder to predict: only 51 of 69 are within this band.
constexpr double kCopyBand = .08;
/// The band of launches that wait for memory, either for its latency or because they read much more
/// than they write.
constexpr double kStreamBand = .2;
/// The band of launches that are limited by shared memory or by the path to the L2 cache.
constexpr double kTransferBand = .25;
/// The band of launches that are limited by instruction issue, and of copies that do not wait for
/// memory.
constexpr double kMixedBand = .3;
/// The band of launches with runs shorter than a cache line, partially written sectors, tables that
/// do not fit in the caches, or too few blocks.
constexpr double kIrregularBand = .4;
/// The band of launches that read and write memory in place. For unknown reasons, two such kernels
/// took 1.4 and 1.6 times as long as copies of the same number of bytes.
constexpr double kInPlaceBand = .6;
/// The band of launches that are limited by the L1 cache. If the lanes of a warp look up single
/// sectors, the cache serves more than one line per cycle, which makes it up to 1.8 times as fast
/// as predicted.
constexpr double kL1Band = .65;
/// The utilization of memory above which a copy counts as waiting for memory.
constexpr double kBusyMemoryUtilization = .7;
/// If the blocks request each sector more often than this on average, the time depends on which
/// data the L1 cache still contains.
constexpr double kManyRequestsPerSector = 1.3;
/// The fraction to add to the band of a GPU whose parameters were taken from documents instead of
/// being measured.
constexpr double kUnmeasuredGpuBand = .07;
/// The variation, in milliseconds, of the time that it takes to start and end a launch.
constexpr double kLaunchVariationMs = .0005;
/// The maximum by which the variation of starting and ending a launch may widen a band.
constexpr double kMaxLaunchVariationBand = .15;

bool waits_for_memory(Bottleneck bottleneck) {
    return bottleneck == Bottleneck::memory || bottleneck == Bottleneck::flight ||
           bottleneck == Bottleneck::barrier || bottleneck == Bottleneck::blocks;
}

/// Returns the band of a launch whose bottleneck is not memory.
double busy_unit_band(const BandFacts& f, bool is_copy) {
    if (f.bottleneck == Bottleneck::shared) return f.uses_shared_memory ? kTransferBand : kL1Band;
    if (f.bottleneck == Bottleneck::cache) return kTransferBand;
    return is_copy ? kMixedBand : kIrregularBand;
}

double launch_class_band(const BandFacts& f) {
    const bool is_copy = f.write_fraction > .4 && f.write_fraction < .6 &&
                         f.requests_per_sector < kManyRequestsPerSector;
    if (f.is_in_place && f.utilization.memory > .5 && !f.uses_shared_memory) return kInPlaceBand;
    if (f.has_short_runs || f.has_unfinished_sectors) return kIrregularBand;
    if (f.bottleneck == Bottleneck::issue) return kMixedBand;
    if (!waits_for_memory(f.bottleneck) || f.utilization.shared >= .65 ||
        f.utilization.l2_write >= .6)
        return busy_unit_band(f, is_copy);
    if (f.reads_tables && f.utilization.memory < .5) return is_copy ? kMixedBand : kIrregularBand;
    const bool is_simple_copy =
        f.uses_shared_memory || f.utilization.memory > kBusyMemoryUtilization;
    if (is_copy && f.utilization.shared < .6 && f.utilization.issue < .5 && is_simple_copy)
        return kCopyBand;
    return f.bottleneck == Bottleneck::blocks ? kCopyBand : kStreamBand;
}

}  // namespace

double error_band(const BandFacts& f) {
    const double launch_band =
        f.ms > 0 ? std::min(kLaunchVariationMs / f.ms, kMaxLaunchVariationBand) : 0;
    return launch_class_band(f) + launch_band + (f.is_gpu_measured ? 0 : kUnmeasuredGpuBand);
}

}  // namespace coalesce::timing
