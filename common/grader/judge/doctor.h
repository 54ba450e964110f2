/// \file
/// Reports whether a class can be graded on this computer, and with which sandbox.
#pragma once

#include <string>
#include <vector>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// The result of checking whether this computer can grade a class.
struct DoctorReport {
    Tier tier = Tier::none;          ///< the tier that would be used
    bool ok = false;                 ///< whether a class can be graded here
    std::vector<std::string> lines;  ///< the report for a terminal, at most 80 columns wide
};

/// Tests every sandbox tier with every attack, which takes a few seconds. Then tests the compiler,
/// the simulator, and one submission from source to verdict.
DoctorReport doctor(const JudgeOptions& options);

}  // namespace coalesce::grader
