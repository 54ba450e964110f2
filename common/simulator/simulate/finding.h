// A finding: what a report, a comparison or a budget says about one place, for CI systems.
#pragma once

#include <string>
#include <vector>

#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

struct Finding {
    std::string rule = {};  ///< such as "racecheck" or "budget"
    std::string kind = {};  ///< such as "write after read"
    std::string kernel = {};
    std::string file = {};  ///< empty if the place is not known
    unsigned line = 0;
    std::string message = {};  ///< one paragraph, with the cure
    std::string other_file = {};
    unsigned other_line = 0;
    bool is_missing_work = false;  ///< whether it is about something that was not simulated

    /// Returns the rule and the kind, and the kernel if there is one.
    std::string title() const;
};

/// Returns a finding for each report of the run.
std::vector<Finding> findings_of_reports(const Json& run);

}  // namespace coalesce::simulator
