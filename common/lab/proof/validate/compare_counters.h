/// \file
/// Compares the simulator's counters with the profiler's, case by case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/proof/json_text.h"
#include "lab/proof/validate/ncu_output.h"

namespace coalesce::proof {

/// A counter of the simulator, and the profiler's metric for it.
struct CounterMetric {
    const char* counter;  ///< the counter's name in the simulator's JSON
    const char* metric;   ///< the metric's name in ncu
    /// Further metrics, to be added to `metric` if ncu reports them. They count the instructions
    /// that `metric` leaves out, such as matrix instructions and bulk copies.
    std::vector<const char*> further_metrics = {};
    /// Whether the metric must equal the simulator's count exactly. Metrics of a hardware pipe may
    /// be a little larger, because warps interfere with each other.
    bool is_exact = true;
    /// Whether it is an error if ncu does not report the metric. Some versions of ncu lack metrics
    /// that are not required.
    bool is_required = true;
};

/// Returns all counters to compare.
const std::vector<CounterMetric>& counter_metrics();

/// Returns the value of a counter's metric, including the metrics in `further_metrics`. Returns
/// nothing if ncu did not report the metric.
std::optional<double> sum_metrics_of(const ProfiledLaunch& launch, const CounterMetric& counter);

/// The difference that is accepted in a metric of a hardware pipe. The metric may exceed the
/// simulator's count by this fraction or by this number of wavefronts, whichever is more.
constexpr double kPipeNoiseFraction = 0.02, kPipeNoiseWavefronts = 16;

/// A case in which the simulator and the profiler differ.
struct CounterDifference {
    std::string name;     ///< name of the case
    std::string counter;  ///< counter of the simulator
    std::string metric;   ///< metric of the profiler
    double simulated = 0, measured = 0;
};

/// The results for one counter over all cases.
///
/// The profiler computes some wavefronts from the lanes' addresses. For some wide loads from shared
/// memory, the hardware needs a different number of wavefronts (docs/guide/proof.md). So if such a
/// metric differs from the simulator's count, the count is compared with the metric of the
/// hardware's pipe instead. The count must equal this metric.
struct CounterSummary {
    CounterMetric counter;
    int compared_cases = 0;  ///< number of compared cases
    int equal_cases = 0;     ///< number of cases with equal counts
    /// number of cases in which `metric` differs, but the pipe's metric agrees
    int cases_settled_by_pipe = 0;
    int cases_within_noise =
        0;  ///< number of cases that differ only by the noise of an inexact metric
    int known_differences = 0;  ///< number of cases that differ for a known reason
    double largest_excess = 0;  ///< largest excess of the metric, relative to the simulator's count
    /// The largest count in any case. If it is 0, the comparison proves nothing.
    double largest_count = 0;
};

/// The result of a comparison.
struct CounterComparison {
    std::vector<CounterSummary> counters;
    std::vector<CounterDifference> differences;  ///< differences beyond noise
    std::vector<std::string> missing_metrics;    ///< metrics that ncu did not report
    std::vector<std::string> known_reasons;  ///< reasons for known differences, each listed once
    std::size_t cases = 0;

    /// Reports whether every required exact counter was compared in every case, and every
    /// difference is explained. A difference is explained by a known reason, or if the count equals
    /// the metric of the hardware's pipe.
    bool is_equal() const;
};

/// Compares all counters. `cases` is the JSON that `launches --device sim` writes. Throws
/// std::runtime_error if the profiler recorded different launches.
CounterComparison compare_counters(const Json& cases, const std::vector<ProfiledLaunch>& launches);

/// Compares the simulator's counters with recorded counters of some cases. `recorded_launches` is
/// [{"case", "measured": {counter: count}}]. Throws std::runtime_error if the simulator did not run
/// one of these cases.
std::vector<CounterDifference> compare_with_recorded_counters(const Json& cases,
                                                              const Json& recorded_launches);

/// Returns a table that is 80 columns wide. Below the table are the reasons for known differences,
/// the metrics that ncu did not report, and the first differences.
std::string to_text(const CounterComparison& comparison);
/// Returns the summary, the differences, and both counts for each case.
Json to_json(const CounterComparison& comparison, const Json& cases,
             const std::vector<ProfiledLaunch>& launches);

}  // namespace coalesce::proof
