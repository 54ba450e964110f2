// What was predicted of random kernels beside what was measured.
#pragma once

#include <vector>

#include "lab/random_times/errors.h"
#include "lab/random_times/on_device.h"

namespace coalesce::timing {

/// By name. Throws UsageError where the two are not of the same kernels.
std::vector<TimePair> pairs_of(const Predicted& predicted, const Measured& measured);

}  // namespace coalesce::timing
