// From what was measured to what the model knows of a GPU: plain functions, which README.md explains one by one.
#pragma once

#include <utility>
#include <vector>

#include "lab/calibrate/raw.h"
#include "timing/gpu.h"

namespace coalesce::timing {

/// Everything. Throws GpuError that names a measurement which is not there.
Gpu derive(const Raw& raw);

// ---- the parts ----

/// The x with the least squares of rows * x - right. Throws GpuError where rows do not determine it.
std::vector<double> least_squares(const std::vector<std::vector<double>>& rows,
                                  const std::vector<double>& right);
/// y = first + second * x, for pairs of x and y.
std::pair<double, double> line_through(const std::vector<std::pair<double, double>>& points);

/// What a load took while memory was busy so much of the time.
struct LoadTime {
    bool is_copy = false;  ///< half of what memory did was writing; else it only read
    double busy = 0, ns = 0;
};
/// How latency grows with the load of memory.
struct UnderLoad {
    double latency_ns = 0, queue_ns = 0, write_delay_ns = 0;
};
UnderLoad latency_under_load(const std::vector<LoadTime>& loads);

/// How latencies of single loads spread, by their percentiles: in cycles.
struct Spread {
    double fastest = 0, more = 0;
};
/// For a fixed part and a gamma distribution of two stages with the mean `more`.
Spread spread_of(const Flight& flight);
Runs cost_of_runs(const std::vector<ShortRuns>& measured);
/// Nothing of a GPU that has no bulk copies.
BulkCopies cost_of_bulk_copies(const std::vector<BulkRate>& measured);
PartialSectors cost_of_partial_sectors(const std::vector<Scatter>& measured, int multiprocessors,
                                       double clock_ghz);

}  // namespace coalesce::timing
