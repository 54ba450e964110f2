// From what was measured to what the model knows of a GPU: plain functions, which README.md explains one by one.
#pragma once

#include <utility>
#include <vector>

#include "timing/calibrate/raw.h"
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

/// How latency grows with the load of memory.
struct UnderLoad {
    double queue_ns = 0, write_delay_ns = 0;
};
UnderLoad latency_under_load(const std::vector<Flight>& flights, int multiprocessors,
                             double read_gbps, double copy_gbps);

/// How latencies of single loads spread, by their percentiles: in cycles.
struct Spread {
    double fastest = 0, more = 0;
};
/// For a fixed part and a gamma distribution of two stages with the mean `more`.
Spread spread_of(const Flight& flight);
/// Of many such: the fastest, less the cycles that measuring takes, and the most that loads were slower than
/// those without all being slow.
Spread latencies_under_load(const std::vector<Spread>& spreads, double clocks);

Runs cost_of_runs(const std::vector<ShortRuns>& measured);
PartialSectors cost_of_partial_sectors(const std::vector<Stores>& measured);

}  // namespace coalesce::timing
