// Declares findings, the common form in which CI systems show reports, costs that have grown, and
// costs above a budget.
#pragma once

#include <string>
#include <vector>

#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

/// A mistake or a cost at one place.
struct Finding {
    std::string rule = {};  ///< the check or feature, such as "racecheck" or "budget"
    std::string kind = {};  ///< the kind of mistake, such as "write after read"
    std::string kernel = {};
    std::string file = {};  ///< the source file, or empty if it is not known
    unsigned line = 0;
    std::string message = {};  ///< one paragraph, which includes the advice
    std::string other_file = {};
    unsigned other_line = 0;
    bool is_missing_work = false;  ///< true if the finding is about work that was not simulated
    bool is_warning = false;       ///< true for a lint, which does not make --gate fail

    /// Returns the rule and the kind, and the kernel if there is one.
    std::string title() const;
};

/// Returns a finding for each report of the run.
std::vector<Finding> findings_of_reports(const Json& run);

}  // namespace coalesce::simulator
