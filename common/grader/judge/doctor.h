/// \file
/// What a teacher has to know of this computer before a class is graded on it.
#pragma once

#include <string>
#include <vector>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// What was found.
struct DoctorReport {
    Tier tier = Tier::none;          ///< what would be used
    bool ok = false;                 ///< whether a class can be graded here
    std::vector<std::string> lines;  ///< for a terminal, at most 80 columns each
};

/// Tries every tier with every attack (takes some seconds), the compiler, the simulator, and one
/// submission from its source to its verdict.
DoctorReport doctor(const JudgeOptions& options);

}  // namespace coalesce::grader
