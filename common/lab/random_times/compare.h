// Pairs predicted and measured times of random kernels.
#pragma once

#include <vector>

#include "lab/random_times/errors.h"
#include "lab/random_times/on_device.h"

namespace coalesce::timing {

/// Pairs times by name. Throws UsageError if the two lists are not for the same kernels.
std::vector<TimePair> pairs_of(const PredictedKernels& predicted, const MeasuredKernels& measured);

}  // namespace coalesce::timing
