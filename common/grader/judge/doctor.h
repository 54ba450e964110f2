/// \file
/// Reports whether a class can be graded on this computer, and with which sandbox.
#pragma once

#include <string>
#include <vector>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// The result of checking whether this computer can grade a class.
struct DoctorReport {
    Tier tier = Tier::none;          ///< the sandbox tier that a run on this computer uses
    bool ok = false;                 ///< whether this computer can grade a class
    std::vector<std::string> lines;  ///< the report for a terminal, at most 80 columns wide
};

/// Tests every sandbox tier against every attack, which takes a few seconds. Then tests the
/// compiler and the simulator, and judges one submission from start to finish.
DoctorReport run_doctor(const JudgeOptions& options);

}  // namespace coalesce::grader
