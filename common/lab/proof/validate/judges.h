/// \file
/// Runs the simulator and compute-sanitizer on the suite of seeded bugs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/proof/validate/bug_suite.h"

namespace coalesce::proof {

/// A function that is called with the number of opinions collected so far, and the total number of
/// opinions to collect. Calls may come from any thread, but never overlap.
using VerdictProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Collects the opinions of all judges on all cases, with `jobs` runs in parallel. Cases that never
/// end come last and have a short time limit. Because a compute-sanitizer tool takes seconds to
/// start, all cases of a program are first run together under the tool. If the tool reports
/// nothing, its opinion on each of these cases is `silent`. Otherwise each case is run separately.
std::vector<JudgedCase> judge(const std::vector<SuiteCase>& suite, const std::string& sanitizer,
                              int jobs, const VerdictProgress& progress = {});

}  // namespace coalesce::proof
