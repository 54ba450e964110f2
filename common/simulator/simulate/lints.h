// Finds lints: lines and kernels that take longer than necessary, each with its predicted cost in
// time.
//
// Idea   The time model predicts how long a launch takes, and how busy each resource is. The
//        counters show which lines use the resource, and how much of that use is wasted. The cost
//        of a lint is the predicted time minus the predicted time without the waste. Waste of a
//        resource that is not the bottleneck costs nothing, and is not reported.
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

/// Returns the lints of a run whose time was predicted (--time), the most expensive first.
std::vector<Finding> make_lint_findings(const Json& run);

/// Returns the lints as text for the terminal.
std::string lints_text(const std::vector<Finding>& lints);

}  // namespace coalesce::simulator
