// Compares the costs of a run with the costs of an earlier run, by kernel and by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/simulate/finding.h"
#include "simulator/simulate/metrics.h"
#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

/// A kernel's cost that differs between the two runs.
struct CostChange {
    std::string kernel;
    const Metric* cost = nullptr;
    double old_cost = 0, new_cost = 0;
    bool is_worse = false;  ///< true if the cost grew by more than the tolerance
};

/// A source line whose traffic differs between the two runs.
struct LineChange {
    std::string kernel;
    std::string file;  ///< the path in the newer run, or in the earlier run if the line is gone
    unsigned line = 0;
    std::string_view unit;  ///< the unit of `difference`: "sectors" or "wavefronts"
    double difference = 0;  ///< the newer run's traffic minus the earlier run's, in `unit`
    std::string text;       ///< a message: "loads: 4 -> 32 sectors per request, +1,048,576"
};

struct Comparison {
    std::vector<CostChange> costs;
    /// The lines whose traffic differs, with the largest growth first.
    std::vector<LineChange> lines;
    std::vector<std::string> new_kernels, removed_kernels;

    bool is_worse() const;
};

/// Compares the runs. A cost is worse if it has grown by more than `tolerance_percent`.
Comparison compare_runs(const Json& old_run, const Json& new_run, double tolerance_percent);

/// Returns the change in percent, such as "+3.5 %", or "new" if the cost was 0 in the earlier run.
std::string format_percent(const CostChange& change);

/// Returns the comparison as text for a terminal.
std::string comparison_text(const Comparison& comparison);

/// Returns a finding for each cost that has become worse. The place of the finding is the source
/// line whose traffic grew most.
std::vector<Finding> make_comparison_findings(const Comparison& comparison);

}  // namespace coalesce::simulator
