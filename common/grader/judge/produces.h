/// \file
/// What a kernel may have to produce, by the names that manifests use.
#pragma once

#include <optional>
#include <string>

#include "harness/problem.h"

namespace coalesce::grader {

/// "transpose", "copy", "transposed-tiles", "moved-tiles"; nothing for other names.
std::optional<Produces> produces_called(const std::string& name);

}  // namespace coalesce::grader
