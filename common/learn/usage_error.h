/// \file
/// What the user can mend: a wrong option, a file that is not there.
#pragma once

#include <stdexcept>

namespace coalesce::learn {

/// Ends the command with one line, the text, and exit code 2. Nothing has been changed when it is
/// thrown.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace coalesce::learn
