/// \file
/// Compares the counters of a run with lesson.toml.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::course {

/// Compares the results of one step, in the format that `--json` writes, with its lesson.toml. The
/// variants must be the same, in the same order, and all verified. Every ratio must be exact:
/// requests x value == sectors. Returns one sentence per difference.
std::vector<std::string> differences(const Step& step, const nlohmann::json& results);

}  // namespace coalesce::course
