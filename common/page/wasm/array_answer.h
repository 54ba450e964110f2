/// \file
/// Describes the contents of an array after a launch. A page shows them as numbers and as a heat
/// map.
#pragma once

#include <nlohmann/json.hpp>

#include "examiner/course/element_task.h"
#include "examiner/trial.h"

namespace coalesce::page {

/// Returns an array as JSON, in the format that README.md describes. `before` is the array before
/// the launch.
nlohmann::json array_json(const Parameter& parameter, const std::vector<std::int64_t>& extents,
                          const CallArgument& before, const ArrayAfter& after);

}  // namespace coalesce::page
