// Why the result is not the one that was asked for.
#pragma once

#include <optional>

#include "kernel/causes.h"

namespace coalesce {

/// A race in global memory, or cells that are wrong; nothing when the result is right.
std::optional<Failure> result_error(const Trial& trial, const Evidence& evidence);

/// What the cells that differ say.
Failure wrong_result(const Trial& trial, const Comparison& comparison, const Evidence& evidence);

}  // namespace coalesce
