// Computes the error band of a prediction.
#pragma once

#include "timing/prediction.h"

namespace coalesce::timing {

/// The properties of a prediction that determine its error band.
struct BandFacts {
    double ms = 0;
    Bottleneck bottleneck = Bottleneck::memory;
    UnitUtilization utilization;
    /// The number of blocks in the grid, divided by the number of blocks that the GPU runs at once.
    double rounds = 0;
    double write_fraction = 0;  ///< the fraction of memory traffic that consists of writes
    double requests_per_sector =
        1;  ///< how often, on average, a block requests each sector that it reads
    /// Whether contiguous runs in memory are, on average, shorter than a cache line.
    bool has_short_runs = false;
    bool reads_tables = false;  ///< whether blocks read tables (tables.h)
    bool has_unfinished_sectors = false;
    bool uses_shared_memory = false;  ///< whether blocks use shared memory
    /// Whether the launch reads and writes nearly the same memory (unknowns.h).
    bool is_in_place = false;
    bool is_gpu_measured = true;
};

/// Returns the error band as a fraction of the predicted time. The measured times of at least nine
/// in ten kernels are within their bands.
double error_band(const BandFacts& band_facts);

}  // namespace coalesce::timing
