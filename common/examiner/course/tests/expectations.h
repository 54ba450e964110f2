/// \file
/// Compares the counts of a run with lesson.toml.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::course {

/// Compares the results of one step, as `--json` writes them, with its lesson.toml: the
/// same variants in the same order, all verified, and every ratio exact (requests x value ==
/// sectors). Returns a sentence for each difference; an empty list is agreement.
std::vector<std::string> differences(const Step& step, const nlohmann::json& results);

}  // namespace coalesce::course
