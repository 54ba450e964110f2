#pragma once

#include <stdexcept>

namespace coalesce::course {

/// An error in a file of the course. The message begins with file and line, and ends with what to do.
struct CourseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace coalesce::course
