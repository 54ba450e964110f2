/// \file
/// Students' names come from outside, and are never used as paths.
#pragma once

#include <string>
#include <string_view>

#include "kernel/safe_text.h"

namespace coalesce::grader {

/// A file name for a student: letters that are harmless, and a digest that makes it unique.
std::string file_name(std::string_view student);

}  // namespace coalesce::grader
