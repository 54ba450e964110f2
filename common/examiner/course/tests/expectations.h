/// \file
/// Compares the counters of a run with lesson.toml.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::course {

/// Compares the results of one step with its lesson.toml. The results are in the format that
/// `--json` writes. All variants must be verified. They must be the variants of lesson.toml, in the
/// same order. Every ratio must be exact: requests x expected value == sectors. Returns one
/// sentence per difference.
std::vector<std::string> differences(const Step& step, const nlohmann::json& results);

}  // namespace coalesce::course
