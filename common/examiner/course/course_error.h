#pragma once

#include <stdexcept>

namespace coalesce::course {

/// Something in a file of the course that cannot be right. The text begins with file and line, and
/// ends with what to do.
struct CourseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace coalesce::course
