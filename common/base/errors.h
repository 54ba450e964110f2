#pragma once

#include <stdexcept>

namespace coalesce {

/// It cannot be done like this: a bad option, a file or a device that is not there. The message says
/// what to do, in one or two lines; nothing has been changed when it is thrown.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace coalesce
