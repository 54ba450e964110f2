// Declares findings. A finding represents a report, a lint, a cost that has grown, or a cost above
// a budget. The formats for CI systems are generated from findings.
#pragma once

#include <string>
#include <vector>

#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

/// A mistake or an excessive cost at one place in the source.
struct Finding {
    std::string rule = {};  ///< the check or feature, such as "racecheck" or "budget"
    std::string kind = {};  ///< the kind of mistake, such as "write after read"
    std::string kernel = {};
    std::string file = {};  ///< the source file, or empty if it is not known
    unsigned line = 0;
    std::string message = {};  ///< one paragraph, including the advice
    std::string other_file = {};
    unsigned other_line = 0;
    bool is_missing_work = false;  ///< true if the finding is about work that was not simulated
    bool is_warning = false;       ///< true for a lint; lints do not affect --gate

    /// Returns a title that consists of the rule, the kind, and the kernel if there is one.
    std::string title() const;
};

/// Returns a finding for each report of the run.
std::vector<Finding> make_report_findings(const Json& run);

}  // namespace coalesce::simulator
