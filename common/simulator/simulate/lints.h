// Lints: lines and kernels that take longer than they need to, with the predicted price.
//
// Idea   The time model says how long a launch takes, and how busy each resource is. The counters
//        say which lines use the resource, and how much of that use is wasted. The price of a lint
//        is the predicted time without the waste, subtracted from the predicted time. Waste of a
//        resource that is not the bottleneck costs nothing, and is not reported.
// Allow  A comment `coalesce: allow ID`, on the line or on the line above, switches a lint off.
#pragma once

#include <string>
#include <vector>

#include "simulator/simulate/finding.h"

namespace coalesce::simulator {

/// A rule that lints follow.
struct LintRule {
    const char* id;
    const char* advice;  ///< one sentence
};
extern const std::vector<LintRule> kLintRules;

/// Returns the lints of a run that was predicted (--time), the most expensive first.
std::vector<Finding> lints_of(const Json& run);

/// Returns the lints as text for the terminal.
std::string lints_text(const std::vector<Finding>& lints);

}  // namespace coalesce::simulator
