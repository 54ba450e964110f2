/// \file
/// Errors and exit codes for problems with the grader itself. None of them affects a grade.
#pragma once

#include <stdexcept>

#include "base/errors.h"

namespace coalesce::grader {

/// The exit codes of the grader's commands. The codes say whether the grader worked, not how
/// students scored.
enum ExitCode : int {
    exit_done = 0,          ///< the command did its work
    exit_proof_failed = 1,  ///< a proof failed, in `assignment verify` or `grade --self-test`
    exit_usage = 2,         ///< a wrong option or a missing file
    /// The grader failed. Submissions without a result are not graded yet.
    exit_infrastructure = 3,
};

/// A problem with the grader, such as a full disk, a locked database or a missing sandbox. Results
/// that were complete before the error are stored. The message says how to fix the problem.
class InfrastructureError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace coalesce::grader
