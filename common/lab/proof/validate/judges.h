/// \file
/// The simulator and compute-sanitizer, asked about the suite of seeded bugs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/proof/validate/bug_suite.h"

namespace coalesce::proof {

/// Told how many verdicts of how many there are; from any thread, one at a time.
using VerdictProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Lets all judges speak on all cases, `jobs` at a time; those that never end come last, with
/// little patience. A tool of compute-sanitizer is asked about all cases of a program first, since
/// it takes seconds to start: when it is silent it is silent on each, otherwise each is asked about.
std::vector<Judged> judge(const std::vector<SuiteCase>& suite, const std::string& sanitizer,
                          int jobs, const VerdictProgress& progress = {});

}  // namespace coalesce::proof
