/// \file
/// Reports what a teacher must know about this computer before grading a class.
#pragma once

#include <string>
#include <vector>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// The report.
struct DoctorReport {
    Tier tier = Tier::none;          ///< the tier that would be used
    bool ok = false;                 ///< whether a class can be graded here
    std::vector<std::string> lines;  ///< for a terminal, at most 80 columns each
};

/// Tests every tier with every attack, which takes some seconds, then the compiler, the simulator, and one submission
/// from source to verdict.
DoctorReport doctor(const JudgeOptions& options);

}  // namespace coalesce::grader
