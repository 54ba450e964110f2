/// \file
/// Errors and exit codes for problems with the grader itself. None of them affects a grade.
#pragma once

#include <stdexcept>

#include "base/errors.h"

namespace coalesce::grader {

/// The exit codes of the grader's commands. They do not depend on students' scores.
enum ExitCode : int {
    exit_done = 0,            ///< the command did its work
    exit_proof_failed = 1,    ///< a proof failed, in `assignment verify` or `grade --self-test`
    exit_usage = 2,           ///< a wrong option or a missing file
    exit_infrastructure = 3,  ///< the grader failed; no result means not graded yet
};

/// A problem with the grader, such as a full disk, a locked database, or a missing sandbox. The
/// results so far are stored. The message says what to do.
class InfrastructureError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace coalesce::grader
