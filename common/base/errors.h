#pragma once

#include <stdexcept>

namespace coalesce {

/// An error for a request that cannot be carried out, such as an unknown option or a missing file.
/// The message says what to do, in one or two lines. Throw this error before changing anything.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The exit codes of the course's programs.
enum ExitCode : int {
    exit_right = 0,  ///< everything ran, and all results were correct
    exit_wrong = 1,  ///< a kernel's result was wrong
    exit_usage = 2,  ///< a UsageError: a wrong option or an unsuitable environment
};

}  // namespace coalesce
