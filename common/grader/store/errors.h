/// \file
/// How the grader itself stops, besides UsageError. Neither is ever a mark.
#pragma once

#include <stdexcept>

#include "base/errors.h"

namespace coalesce::grader {

/// What the commands return. Students' scores have no part in it.
enum ExitCode : int {
    exit_done = 0,            ///< the grader did what was asked
    exit_unproved = 1,        ///< a proof failed: `assignment verify`, `grade --self-test`
    exit_usage = 2,           ///< a bad option, a file that is not there
    exit_infrastructure = 3,  ///< something of ours failed: what is missing is not graded yet
};

/// A fault of ours: a full disk, a locked database, no sandbox. What was stored so far is whole; the
/// text says what to do.
class Infrastructure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace coalesce::grader
