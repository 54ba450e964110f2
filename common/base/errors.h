#pragma once

#include <stdexcept>

namespace coalesce {

/// It cannot be done like this: a bad option, a file or a device that is not there. The message says
/// what to do, in one or two lines; nothing has been changed when it is thrown.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What a program returns to its caller.
enum ExitCode : int {
    exit_right = 0,  ///< everything that was asked for ran and was right
    exit_wrong = 1,  ///< a kernel's result was wrong
    exit_usage = 2,  ///< UsageError: a bad option, an environment in which it cannot be run
};

}  // namespace coalesce
