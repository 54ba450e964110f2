/// \file
/// Generates the arguments of a kernel whose task is defined element by element.
#pragma once

#include <cstdint>
#include <vector>

#include "examiner/course/element_task.h"
#include "examiner/trial.h"

namespace coalesce {

/// Returns the arguments for a shape, in the order of the task's parameters. Each seed yields
/// different values. Outputs without initial values are filled with a poison pattern.
std::vector<CallArgument> generate_arguments(const ElementTask& task, Shape shape,
                                             std::uint64_t seed);

}  // namespace coalesce
