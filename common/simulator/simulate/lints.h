// Finds lints: source lines and kernels that take longer than necessary. The predicted loss of time
// is given for each.
//
// Idea   The time model predicts how long a launch takes, and how long it would take without each
//        inefficiency (timing/savings.h). The cost of a lint is the difference. If the wasted
//        resource is not the bottleneck, the waste costs no time and is not reported. The message
//        of a lint quotes the counters that show the inefficiency.
// Allow  A comment `coalesce: allow ID`, on the line or on the line above, disables a lint.
#pragma once

#include <string>
#include <vector>

#include "simulator/simulate/finding.h"

namespace coalesce::simulator {

/// A rule that finds one kind of lint.
struct LintRule {
    const char* id;
    const char* advice;  ///< how to avoid the cost, in one sentence
};
extern const std::vector<LintRule> kLintRules;

struct Lint {
    std::string id, kernel;
    std::string file;  ///< the source file, or empty if it is not known
    unsigned line = 0;
    double ms = 0;         ///< the predicted cost, in milliseconds
    double kernel_ms = 0;  ///< the predicted time of all launches of the kernel, in milliseconds
    std::string message;   ///< one paragraph, including the cost and the advice
};

/// Returns the lints of a run that was simulated with --lints, the most expensive first.
std::vector<Lint> find_lints(const Json& run);

std::vector<Finding> make_lint_findings(const std::vector<Lint>& lints);

/// Adds the lints to the report of a run, in the field "lints".
void add_lints(Json& run, const std::vector<Lint>& lints);

/// Returns the lints as text for the terminal.
std::string lints_text(const std::vector<Lint>& lints);

}  // namespace coalesce::simulator
