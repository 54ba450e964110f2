// Writes the advice at the end of the reports of `simulate --lines` and `simulate --time`: how the
// program could be made faster.
#pragma once

#include <string>
#include <vector>

#include "simulator/profile/kernel_table.h"
#include "simulator/profile/predicted_times.h"

namespace coalesce::simulator {

/// Returns a paragraph that begins with "Next:" and names the source line that wastes the most
/// sectors or wavefronts. If no line wastes any, the paragraph says what would speed up the slowest
/// kernel in `times`. `times` is null if no times were predicted. Returns "" if there is no advice.
std::string describe_next_action(const std::vector<KernelRow>& kernels,
                                 const PredictedTimes* times);

}  // namespace coalesce::simulator
