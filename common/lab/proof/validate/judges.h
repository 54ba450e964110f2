/// \file
/// Runs the simulator and compute-sanitizer on the suite of seeded bugs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/proof/validate/bug_suite.h"

namespace coalesce::proof {

/// Called with the number of opinions that the judges have given, and the number that they will
/// give. Any thread may make the call, but calls never overlap.
using VerdictProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Collects the opinions of all judges on all cases, with `jobs` runs in parallel. Cases that never
/// end come last and have a short time limit. Because a compute-sanitizer tool takes seconds to
/// start, all cases of a program first run together under the tool. If the tool reports nothing, it
/// is silent on each case; otherwise each case is run separately.
std::vector<JudgedCase> judge(const std::vector<SuiteCase>& suite, const std::string& sanitizer,
                              int jobs, const VerdictProgress& progress = {});

}  // namespace coalesce::proof
