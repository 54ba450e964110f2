/// \file
/// What students read about an assignment.
#pragma once

#include <string>

#include "grader/class/manifest.h"

namespace coalesce::grader {

/// README.md of the handout.
std::string handout_readme(const Assignment& assignment);

}  // namespace coalesce::grader
