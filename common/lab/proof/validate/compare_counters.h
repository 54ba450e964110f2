/// \file
/// The simulator's counters compared with the profiler's, case by case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/proof/json_text.h"
#include "lab/proof/validate/ncu_output.h"

namespace coalesce::proof {

/// A counter of ours and the profiler's metric for it.
struct CounterMetric {
    const char* counter;  ///< as in the simulator's JSON
    const char* metric;   ///< as ncu has it
    /// Of instructions that the metric leaves out (of matrices, asynchronous and bulk copies): added to it, where
    /// ncu has them.
    std::vector<const char*> more = {};
    /// Counted instruction by instruction: equal to the last digit. Otherwise counted in the
    /// hardware's pipe, which adds up to `noise` where warps get in each other's way.
    bool is_exact = true;
    /// Without it nothing is proven; others may be missing in some version of ncu.
    bool is_required = true;
};

/// All that are compared.
const std::vector<CounterMetric>& counter_metrics();

/// The value of a counter's metric and of those that are added to it. Nothing if ncu did not give the metric.
std::optional<double> value_of(const ProfiledLaunch& launch, const CounterMetric& counter);

/// What a metric of the pipe may show beyond the simulator's count, as a fraction, and in
/// wavefronts where the count is small.
constexpr double kNoiseFraction = 0.02, kNoiseWavefronts = 16;

/// One case where the two are not the same.
struct Difference {
    std::string name;     ///< the case
    std::string counter;  ///< ours
    std::string metric;   ///< theirs
    double simulated = 0, measured = 0;
};

/// How one counter did over all cases.
///
/// The profiler's metrics that follow the instructions compute wavefronts from the lanes' addresses,
/// by a rule that for some wide loads from shared memory is not the hardware's (docs/guide/proof.md).
/// Where such a metric is not equal to the simulator's count, the pipe's count of the same launch
/// decides, if it is equal to the last digit.
struct CounterSummary {
    CounterMetric counter;
    int cases = 0;             ///< that were compared
    int equal = 0;             ///< to the last digit
    int settled = 0;           ///< not equal, but the pipe's count of the same launch is
    int within_noise = 0;      ///< not equal, but within the noise of an inexact metric
    int known = 0;             ///< not equal, and known not to be
    double most_beyond = 0;    ///< the largest relative excess of the metric
    double largest_count = 0;  ///< the largest value compared: 0 proves nothing
};

/// What came out.
struct CounterComparison {
    std::vector<CounterSummary> counters;
    std::vector<Difference> differences;  ///< neither equal nor noise
    std::vector<std::string> missing;     ///< metrics that ncu did not give
    std::vector<std::string> known;       ///< why known differences are there, each once
    std::size_t cases = 0;

    /// Whether every exact counter was there in every case, and equal, settled by the pipe or known to be another.
    bool is_equal() const;
};

/// `cases` is what `launches --device sim` wrote. Throws std::runtime_error when the profiler saw
/// other launches than these.
CounterComparison compare_counters(const Json& cases, const std::vector<ProfiledLaunch>& launches);

/// The same with counters that were measured before, of some of the cases: [{"case", "measured": {counter: count}}].
/// Throws std::runtime_error for a case that the simulator does not have.
std::vector<Difference> compare_recorded(const Json& cases, const Json& recorded);

/// A table in 80 columns, with the first differences.
std::string to_text(const CounterComparison& comparison);
/// The summary, the differences, and each case with both numbers.
Json to_json(const CounterComparison& comparison, const Json& cases,
             const std::vector<ProfiledLaunch>& launches);

}  // namespace coalesce::proof
