/// \file
/// The ways in which the grader itself stops, besides UsageError. None of them is a mark.
#pragma once

#include <stdexcept>

#include "base/errors.h"

namespace coalesce::grader {

/// The exit codes of the commands. They do not depend on students' scores.
enum ExitCode : int {
    exit_done = 0,            ///< the grader did what was asked
    exit_unproved = 1,        ///< a proof failed: `assignment verify`, `grade --self-test`
    exit_usage = 2,           ///< a wrong option or a missing file
    exit_infrastructure = 3,  ///< the grader failed; what is missing is not graded yet
};

/// A problem of the grader: a full disk, a locked database, no sandbox. The results so far are stored. The message
/// says what to do.
class Infrastructure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace coalesce::grader
