/// \file
/// Compares the simulator's results for the tutorial kernels with the measurements on a GPU.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/proof/json_text.h"
#include "lab/proof/validate/compare_counters.h"

namespace coalesce::proof {

/// A predicted and a measured time.
struct TutorialTime {
    double predicted = 0, measured = 0;  ///< times in milliseconds
    double promised_error = 0;           ///< promised relative error: 0.08 means within 8 %
    std::vector<std::string> unknown;    ///< reasons why the model could not predict the time
    bool is_within_error_band() const;
};

struct ComparedKernel {
    std::string theme, name;
    bool is_held_back = false;
    /// Differences between simulated and measured counters.
    std::vector<CounterDifference> differences = {};
    /// The number of hardware runs if the runs have different counters. 0 if all runs have the same
    /// counters.
    int differing_runs = 0;
    /// Whether each count in `differences` lies between the smallest and the largest count of the
    /// hardware runs.
    bool are_counts_in_range = false;
    std::string reference_source = "measured";  ///< where the reference counters come from
    std::string known = {};  ///< the known reason why the counters differ; "" if there is none
    std::optional<TutorialTime> time = {};
    std::string simulator_failure =
        {};  ///< why the simulator has no result; "" if there is a result
};

/// Compares the counters of one kernel. `recorded` comes from the record, which omits zeros.
/// `simulated` is the JSON that `simulate` writes. For wavefronts, the simulator's count may equal
/// either of ncu's two metrics (CounterSummary explains why).
std::vector<CounterDifference> compare_tutorial_counters(const Json& recorded,
                                                         const Json& simulated);

/// Returns the counters, by name, of the only launch in `simulated`.
Json counters_of_only_launch(const Json& simulated);

/// Reports whether every simulated counter in `differences` lies within its range over several
/// hardware runs. Returns false if there are no differences. `ranges` comes from add_runs().
bool are_in_range(const std::vector<CounterDifference>& differences, const Json& ranges);

/// Compares the prediction in `simulated` with a measured time. Returns nothing if there is no
/// prediction.
std::optional<TutorialTime> compare_tutorial_time(double measured_ms, const Json& simulated);

/// Returns the reasons for known differences by kernel name. A line is "NAME: REASON"; lines that
/// begin with # are comments.
std::map<std::string, std::string> read_known_differences(const std::string& text);

/// The limits that the results must reach for the comparison to succeed, as fractions from 0 to 1.
struct TutorialLimits {
    double min_equal_fraction = 0;  ///< minimum fraction of kernels with equal counters
    /// minimum fraction of measured times within the predicted error band; applies to the held-back
    /// kernels and to the others separately
    double min_fraction_within_band = 0;
    /// Like `min_equal_fraction`, but counts only kernels whose hardware counters are the same in
    /// every run.
    double min_repeatable_equal_fraction = 0;
};

/// The overall result of the comparison.
struct TutorialVerdict {
    std::string text;  ///< tables, followed by the totals
    /// Whether the results are within the limits and each difference is known.
    bool is_good = false;
};
TutorialVerdict make_tutorial_verdict(const std::vector<ComparedKernel>& kernels,
                                      const TutorialLimits& limits);

}  // namespace coalesce::proof
