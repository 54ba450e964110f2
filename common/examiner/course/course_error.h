#pragma once

#include <stdexcept>

namespace coalesce::course {

/// An error in a file of the course. The message begins with the file and the line, and ends with
/// advice on how to fix the error.
struct CourseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace coalesce::course
