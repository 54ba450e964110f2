/// \file
/// The tutorial kernels on the simulator, compared with the record of a GPU.
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
    double predicted = 0, measured = 0;  ///< milliseconds
    double band = 0;                     ///< 0.08: the prediction promises to be within 8 %
    std::vector<std::string> unknown;    ///< what the model says that it does not know
    bool is_within() const;
};

/// One kernel.
struct ComparedKernel {
    std::string theme, name;
    bool is_held_back = false;
    std::vector<Difference> differences = {};  ///< of its counters
    int runs = 0;              ///< of the hardware, if it has counted differently in some of them
    bool is_in_range = false;  ///< all differences are within what those runs counted
    std::string other = "measured";  ///< how the counters that it is compared with were found
    std::string known = {};          ///< why its counters are known to differ; "" if they are not
    std::optional<TutorialTime> time = {};
    std::string failure = {};  ///< why the simulator has nothing to compare; "" if it has
};

/// Compares the counters of one kernel. `recorded`: of the record, where 0 is left out. `simulated`: of the JSON that
/// `simulate` writes. Wavefronts are equal if either of ncu's metrics for them is (CounterSummary says why).
std::vector<Difference> compare_tutorial_counters(const Json& recorded, const Json& simulated);

/// The counters of the only launch in such JSON, by their names, so that other runs can be compared with this one.
Json counters_of_only_launch(const Json& simulated);

/// Reports whether each difference is within the range that several runs of the hardware have. `ranges`: of the record
/// (add_runs), where counters that are the same in all runs are left out.
bool are_in_range(const std::vector<Difference>& differences, const Json& ranges);

/// Compares the prediction in the same JSON with a measured time. Nothing if there is no prediction.
std::optional<TutorialTime> compare_tutorial_time(double measured_ms, const Json& simulated);

/// Why kernels are known to differ, by their names. A line is "NAME: REASON"; lines that begin with # are comments.
std::map<std::string, std::string> read_known_differences(const std::string& text);

/// The least fractions for which the comparison is a success.
struct TutorialLimits {
    double equal = 0;   ///< of kernels whose counters are equal
    double within = 0;  ///< of predictions that are within their bands, in each half
    double repeatable_equal =
        0;  ///< as `equal`, of kernels for which the hardware counts the same in every run
};

/// What the comparison says in the end.
struct TutorialVerdict {
    std::string text;      ///< tables, and the sums below them
    bool is_good = false;  ///< within the limits, and each difference is known
};
TutorialVerdict tutorial_verdict(const std::vector<ComparedKernel>& kernels,
                                 const TutorialLimits& limits);

}  // namespace coalesce::proof
