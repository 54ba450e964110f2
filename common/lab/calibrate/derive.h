// Derives the model's parameters for a GPU from measurements. README.md explains each parameter.
#pragma once

#include <utility>
#include <vector>

#include "lab/calibrate/raw.h"
#include "timing/gpu.h"

namespace coalesce::timing {

/// Derives all parameters. If a measurement is missing, throws a GpuError that names it.
Gpu derive_gpu(const RawMeasurements& raw);

// ---- steps of the derivation ----

/// Returns the least-squares solution x of rows * x = right. Throws a GpuError if the solution is
/// not unique.
std::vector<double> solve_least_squares(const std::vector<std::vector<double>>& rows,
                                        const std::vector<double>& right_side);
/// Fits the line y = a + b * x to `points`, which are pairs (x, y). Returns {a, b}.
std::pair<double, double> fit_line(const std::vector<std::pair<double, double>>& points);

/// A measured latency of loads: `ns` nanoseconds while memory is busy for the fraction
/// `memory_utilization` of the time.
struct LoadLatency {
    /// Whether half of the memory traffic is writes, as in a copy. Otherwise all of it is reads.
    bool is_copy = false;
    double memory_utilization = 0, ns = 0;
};
/// The parameters of the function that gives a load's latency for a memory utilization.
struct LatencyParameters {
    double latency_ns = 0, queueing_ns = 0, write_delay_ns = 0;
};
LatencyParameters fit_latency_under_load(const std::vector<LoadLatency>& loads);

/// The distribution of the latencies of single loads, in cycles. A latency is a constant,
/// `fastest_cycles`, plus a random delay with mean `mean_excess_cycles`.
struct LatencyDistribution {
    double fastest_cycles = 0, mean_excess_cycles = 0;
};
/// Fits the distribution to the measured latencies. The random delay has a two-stage gamma
/// distribution.
LatencyDistribution fit_latency_distribution(const LoadsInFlight& measured);
RunCosts derive_run_costs(const std::vector<ShortRunBandwidth>& measured);
/// Derives the costs of bulk copies. Returns an empty result for a GPU without bulk copies.
BulkCopyCosts derive_bulk_copy_costs(const std::vector<BulkCopyRate>& measured);
PartialSectorCosts derive_partial_sector_costs(const std::vector<ScatteredStores>& measured,
                                               int multiprocessors, double clock_ghz);

}  // namespace coalesce::timing
