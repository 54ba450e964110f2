// Says what to do next about a program's speed: the advice with which `simulate --lines` and
// `simulate --time` end.
#pragma once

#include <string>
#include <vector>

#include "simulator/profile/kernel_table.h"
#include "simulator/profile/predicted_times.h"

namespace coalesce::simulator {

/// Returns a paragraph that begins with "Next:". It names the source line that wastes most sectors or
/// wavefronts, or else, with `times`, what would speed up the kernel that takes longest. Returns "" if
/// no memory was accessed.
std::string next_action(const std::vector<KernelRow>& kernels, const PredictedTimes* times);

}  // namespace coalesce::simulator
