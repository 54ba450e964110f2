/// \file
/// Runs the simulator and compute-sanitizer on the suite of seeded bugs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/proof/validate/bug_suite.h"

namespace coalesce::proof {

/// A function that receives the number of opinions collected so far, and the number of all
/// opinions. Any thread may call it, but not two threads at the same time.
using VerdictProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Collects the opinions of all judges on all cases, with `parallel_jobs` runs in parallel. A tool
/// of compute-sanitizer takes seconds to start. Therefore, one run of a tool first covers all cases
/// of a program. If the tool reports something in this run, it then runs each case separately.
/// Cases that never end come last, and have a short time limit.
std::vector<JudgedCase> judge_suite(const std::vector<SuiteCase>& suite,
                                    const std::string& sanitizer_path, int parallel_jobs,
                                    const VerdictProgress& progress = {});

}  // namespace coalesce::proof
